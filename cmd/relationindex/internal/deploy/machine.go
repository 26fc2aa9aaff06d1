package deploy

import (
	"context"
	"slices"
	"time"
)

// Machine carries out plans.
type Machine struct {
	// Run runs a program with its arguments, and returns what it prints to standard
	// output. The error includes the end of the program's standard error.
	Run func(ctx context.Context, args []string) (string, error)
	// Work is a directory for the files that commands read.
	Work string
	// SourceDigest and SourceBytes are the digest and the size of the uploaded files. If both are missing, SourceErr
	// says why.
	SourceDigest string
	SourceBytes  int64
	SourceErr    error
	// RulesAPI and FirestoreAPI are the base URLs of the Security Rules API and of Firestore.
	RulesAPI, FirestoreAPI string
	// Wait waits before a command is retried.
	Wait func(context.Context, time.Duration) error
	// Told is called when a step begins, and again with the outcome if the step succeeds.
	Told func(Told)
	// Said is called with notices for the user. A notice does not stop the plan.
	Said func(string)
}

// Told is a report about a step.
type Told struct {
	Step        Step
	Number, All int
	// Outcome is "" when the step begins.
	Outcome Outcome
}

// Outcome is the result of a step.
type Outcome string

// The outcomes.
const (
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged" // nothing to do
	Done      Outcome = "done"      // run without a Look
	Removed   Outcome = "removed"
	Absent    Outcome = "not there"
	Foreign   Outcome = "not ours: left alone"
	Kept      Outcome = "kept"
)

// local returns a Machine that runs programs on this computer, in the module's directory dir. work must be an
// empty directory.
func local(dir, work string) *Machine {
	tools := firebaseIn(dir)
	m := &Machine{Work: work, RulesAPI: "https://firebaserules.googleapis.com", FirestoreAPI: "https://firestore.googleapis.com", Wait: wait}
	m.Run = func(ctx context.Context, args []string) (string, error) {
		if args[0] == "firebase" {
			args = slices.Concat(tools, args[1:])
		}
		return runProgram(ctx, dir, args)
	}
	return m
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
