package chunker_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

// Note names somebody in a job that has ended, while there is room; Unnote takes the name out,
// also while a step has the job.
func TestNoteAndUnnote(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	note := func(value string, want bool) {
		t.Helper()
		if noted, err := b.Note(t.Context(), "j", "g", "leaving", value); err != nil || noted != want {
			t.Errorf("Note of %d bytes: %v, %v; want %v", len(value), noted, err, want)
		}
	}
	unnote := func(value, left string) {
		t.Helper()
		testkit.NoError(t, b.Unnote(t.Context(), "j", "leaving", value))
		if got := b.job("j").Args["leaving"]; got != left {
			t.Errorf("%d bytes are left, want %d", len(got), len(left))
		}
	}
	note("ada", false) // there is no job
	testkit.NoError(t, b.Unnote(t.Context(), "j", "leaving", "ada"))
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit", Generation: "g"})
	note("ada", false) // it has not failed
	if _, err := b.Cancel(t.Context(), "j"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		note("ada", true)
	}
	note("bob", true)
	long := strings.Repeat("x", 256<<10-len("ada/bob/"))
	note(long+"x", false)
	note(long, true)
	note("eve", false) // no room
	note("bob", true)
	unnote(long, "ada/bob")
	note("eve", true)
	unnote("bob", "ada/eve")
	unnote("bob", "ada/eve")

	if _, err := b.Retry(t.Context(), "j"); err != nil {
		t.Fatal(err)
	}
	b.fail = func(string) error {
		testkit.NoError(t, b.Unnote(b.t.Context(), "j", "leaving", "ada"))
		return chunker.Permanent(errors.New("bad"))
	}
	b.ok(b.run("j", b.plenty()))
	b.wantState("j", chunker.Failed)
	unnote("eve", "")
}
