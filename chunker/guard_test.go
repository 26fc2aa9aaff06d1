package chunker_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	for name, c := range map[string]struct {
		work func() error
		want string // ""; no error
		told int    // stacks in the log
	}{
		"no error":            {func() error { return nil }, "", 0},
		"an error":            {func() error { return bad }, "bad", 0},
		"a panic":             {func() error { panic("oh") }, "panicked: oh", 1},
		"a panic of an error": {func() error { panic(bad) }, "panicked: bad", 1},
		"a panic of the runtime": {func() error {
			none := len(bad.Error()) - len("bad")
			return errors.New(strings.Repeat("x", 1/none))
		}, "panicked: runtime error: integer divide by zero", 1},
		"a panic in another guard": {func() error { return chunker.Guard(func() error { panic("oh") }) }, "panicked: oh", 1},
	} {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		err := chunker.Guard(c.work)
		for range 2 { // two events waited for it
			chunker.LogPanic(t.Context(), logger, err)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
		if got := chunker.IsPermanent(err); got != (c.told > 0) {
			t.Errorf("%s: permanent is %v", name, got)
		}
		if got := strings.Count(log.String(), "guard_test.go"); min(got, 1) != c.told || strings.Count(log.String(), "\n") != c.told {
			t.Errorf("%s: the log is %q, want %d stacks with this file", name, log.String(), c.told)
		}
	}
}

func TestPanicFailsOnlyItsJob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.enqueue(chunker.Spec{ID: "other", Kind: "visit"})
	var visited []string
	b.fail = func(item string) error {
		visited = append(visited, item)
		panic("cannot decode " + item)
	}
	if err := b.run("j", b.plenty()); err != nil {
		t.Errorf("the event is to come again: %v", err)
	}
	if job := b.wantState("j", chunker.Failed); !strings.Contains(job.Error.Message, "cannot decode i") {
		t.Errorf("the job says %q, want the panic in it", job.Error.Message)
	}
	if len(visited) != 3 {
		t.Errorf("the page went to %v, want all three", visited)
	}
	b.fail = func(string) error { return nil }
	testkit.NoError(t, b.run("other", b.plenty()))
	b.wantState("other", chunker.Done)
}

// One document keeps a walk from no other of its page, and what a retry may help
// is tried again though something else on the page never can.
func TestWalkContinuesAfterError(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	visited := 0
	b.fail = func(string) error {
		if visited++; visited == 1 {
			return chunker.Permanent(errors.New("never"))
		}
		return errors.New("later")
	}
	testkit.NoError(t, b.run("j", b.plenty()))
	job := b.wantState("j", chunker.Queued)
	if visited != 3 || strings.Count(job.Error.Message, "later") != 2 {
		t.Errorf("the page went to %d documents, want 3; the job says %q", visited, job.Error.Message)
	}
}
