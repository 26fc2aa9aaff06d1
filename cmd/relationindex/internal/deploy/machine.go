package deploy

import (
	"context"
	"slices"
	"time"
)

// Machine is where plans are carried out.
type Machine struct {
	// Run runs a program with its arguments, and returns what it prints to standard
	// output. The error has the end of what it prints to standard error.
	Run func(ctx context.Context, args []string) (string, error)
	// Work is a directory for the files that commands read.
	Work string
	// SourceDigest and SourceBytes are of what is uploaded; SourceErr is why that is not known.
	SourceDigest string
	SourceBytes  int64
	SourceErr    error
	// RulesAPI and FirestoreAPI are the bases of the Security Rules API and of Firestore.
	RulesAPI, FirestoreAPI string
	// Wait waits before a command is tried again.
	Wait func(context.Context, time.Duration) error
	// Told is called for each step: when the step begins, and with its outcome.
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
	Unchanged Outcome = "unchanged" // it was there
	Done      Outcome = "done"      // it is not looked at
	Removed   Outcome = "removed"
	Absent    Outcome = "not there"
	Foreign   Outcome = "not ours: left alone"
	Kept      Outcome = "kept"
)

// local returns this machine, with the module in dir and an empty directory work.
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
