package chunker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

func TestCancelStopsAJobAtTheEndOfItsStep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.fail = func(item string) error {
		if item == "i4" {
			if job, err := b.Cancel(t.Context(), "j"); err != nil || job.State != chunker.Canceled {
				t.Errorf("cancel: %v, job is %s", err, job.State)
			}
		}
		return nil
	}
	testkit.NoError(t, b.run("j", b.pages(2)))
	job := b.wantState("j", chunker.Canceled)
	testkit.Same(t, "visited", all(1)[:6], b.visited)
	if job.FinishedAt == nil || job.ExpireAt != nil || job.Lease != nil || job.WakeAt != nil {
		t.Errorf("a canceled job: %+v", job)
	}
	if err := b.run("j", b.plenty()); err != nil || len(b.visited) != 6 {
		t.Errorf("an event of a canceled job: %v, %d visits", err, len(b.visited))
	}
	if _, err := b.Cancel(t.Context(), "j"); !errors.Is(err, chunker.ErrFinished) {
		t.Errorf("cancel again: %v, want ErrFinished", err)
	}
}

func TestRetryResumesJobWhereItStopped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	if _, err := b.Retry(t.Context(), "j"); !errors.Is(err, chunker.ErrNotStopped) {
		t.Errorf("retry of a queued job: %v, want ErrNotStopped", err)
	}
	b.fail = func(item string) error {
		if item == "i4" {
			return chunker.Permanent(errors.New("bad document"))
		}
		return nil
	}
	b.ok(b.run("j", b.plenty()))
	b.wantState("j", chunker.Failed)
	b.fail = func(string) error { return nil }
	job, err := b.Retry(t.Context(), "j")
	if err != nil || job.State != chunker.Queued || job.Hop != 2 || job.Attempt != 0 || job.Error != nil || job.LastDoc.ID != "i2" {
		t.Fatalf("retry: %v, %+v", err, job)
	}
	b.ok(b.run("j", b.plenty()))
	if job := b.wantState("j", chunker.Done); job.Done != items {
		t.Errorf("%d done, want %d", job.Done, items)
	}
	if _, err := b.Retry(t.Context(), "j"); !errors.Is(err, chunker.ErrFinished) {
		t.Errorf("retry of a job that is done: %v, want ErrFinished", err)
	}
}

func TestMissingJobReturnsErrNotFound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, call := range map[string]func() error{
		"get":    func() error { _, err := b.Get(t.Context(), "none"); return err },
		"cancel": func() error { _, err := b.Cancel(t.Context(), "none"); return err },
		"retry":  func() error { _, err := b.Retry(t.Context(), "none"); return err },
		"an id":  func() error { _, err := b.Get(t.Context(), "a/b"); return err },
		"no job": func() error { _, err := b.Cancel(t.Context(), "a/b"); return err },
	} {
		if err := call(); !errors.Is(err, chunker.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Get(ended, "none"); err == nil || errors.Is(err, chunker.ErrNotFound) {
		t.Errorf("nobody answers: %v, want that it is not known", err)
	}
}

func TestListByStateAndByAge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, id := range []string{"a", "b", "c"} {
		b.enqueue(chunker.Spec{ID: id, Kind: "visit"})
		b.clock.move(time.Second)
	}
	b.ok(b.run("a", b.plenty()))
	names := func(limit int, states ...chunker.State) (out []string) {
		jobs, err := b.List(t.Context(), limit, states...)
		b.ok(err)
		for _, j := range jobs {
			out = append(out, j.ID)
		}
		return out
	}
	for name, c := range map[string]struct{ got, want []string }{
		"queued":          {names(10, chunker.Queued), []string{"b", "c"}},
		"done":            {names(10, chunker.Done), []string{"a"}},
		"failed":          {names(10, chunker.Failed), nil},
		"newest first":    {names(10), []string{"a", "c", "b"}},
		"not more than 1": {names(1), []string{"a"}},
	} {
		testkit.Same(t, name, c.want, c.got)
	}
}
