package main

import (
	"fmt"
	"os"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/local"
	"example.com/relationindex/testkit/program"
)

// running is the system that the tests share.
var running *program.Dev

func TestMain(m *testing.M) {
	program.MainOf(m, main, func(dir string) (func() error, error) {
		var err error
		if running, err = program.StartDev(dir, nil, "--capacity", "3", "--only-project"); err != nil { // tests have projects of their own without functions
			return nil, fmt.Errorf("these tests need the Firestore emulator: %w", err)
		}
		return func() error { return running.End(os.Interrupt) }, nil
	})
}

// relationindex runs the program against the shared emulator.
func relationindex(t *testing.T, args ...string) program.Outcome {
	t.Helper()
	return program.Run(t, []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost}, args...)
}

// client is a client of a project of the shared emulator. Only the project of
// dev has functions.
func client(t *testing.T, project string) *firestore.Client {
	t.Helper()
	c, err := local.Open(t.Context(), project, running.FirestoreHost)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
