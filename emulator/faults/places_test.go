package faults_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
)

// The jobs of an engine are listed at one place, and one of them is read at another.
func TestPlaces(t *testing.T) {
	t.Parallel()
	var places faults.Places
	for _, want := range []string{"List:", "Get:", ""} {
		i, failed := places.Process()
		c := open(t, i)
		if _, err := c.Doc("docs/none").Get(t.Context()); status.Code(err) != codes.NotFound {
			t.Errorf("the test reads a document: %v", err)
		}
		engine := chunker.New(c, chunker.Options{})
		for try := range 2 { // each has one failure, at its first read from there
			_, listed := engine.Unfinished(t.Context(), 1)
			_, got := engine.Get(t.Context(), "none")
			if failed := status.Code(listed) == codes.Unknown; failed != (want == "List:" && try == 0) {
				t.Errorf("the process that fails at %q lists jobs: %v", want, listed)
			}
			if failed := !errors.Is(got, chunker.ErrNotFound); failed != (want == "Get:" && try == 0) {
				t.Errorf("the process that fails at %q reads a job: %v", want, got)
			}
		}
		if place := failed(); !strings.Contains(place, want) || (place == "") != (want == "") {
			t.Errorf("it failed at %q, want %q", place, want)
		}
	}
}
