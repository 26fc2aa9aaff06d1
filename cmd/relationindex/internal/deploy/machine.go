package deploy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
	"example.com/relationindex/internal/upload"
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
	// RulesAPI is the base of the Security Rules API.
	RulesAPI string
	// FirestoreAPI is the base of Firestore's API.
	FirestoreAPI string
	// Wait waits before a command is tried again.
	Wait func(context.Context, time.Duration) error
	// Told is told of each step, as it begins and with what became of it.
	Told func(Told)
	// Said is told what a person should know and stops nothing. It may be nil.
	Said func(string)
}

func (m *Machine) say(format string, args ...any) {
	if m.Said != nil {
		m.Said(fmt.Sprintf(format, args...))
	}
}

// Told is what is told of a step.
type Told struct {
	Step        Step
	Number, All int
	// Outcome is "" when the step begins.
	Outcome Outcome
}

// Outcome is what became of a step.
type Outcome string

// The outcomes.
const (
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged" // it was there
	Done      Outcome = "done"      // what is not looked at
	Removed   Outcome = "removed"
	Absent    Outcome = "not there"
	Foreign   Outcome = "not ours: left alone"
)

// Local is this machine, with the module in dir and an empty directory work.
func Local(ctx context.Context, dir, work string, told func(Told)) *Machine {
	tools := tool.FirebaseIn(dir)
	m := &Machine{Work: work, RulesAPI: tool.RulesAPI, FirestoreAPI: tool.FirestoreAPI, Wait: wait, Told: told}
	m.Run = func(ctx context.Context, args []string) (string, error) {
		if args[0] == "firebase" {
			args = slices.Concat(tools, args[1:])
		}
		return tool.Run(ctx, dir, args)
	}
	m.SourceDigest, m.SourceBytes, m.SourceErr = upload.Digest(ctx, dir)
	return m
}

// WriteFiles writes the files that the commands read into a directory.
func (p *Plan) WriteFiles(dir string) error {
	for name, content := range p.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
