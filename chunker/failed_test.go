package chunker_test

import (
	"errors"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
)

// Each permanent failure of a job is logged once, with the job's kind. Alerts count that line.
func TestPermanentJobFailureIsReportedOnce(t *testing.T) {
	t.Parallel()
	// The step dies: none of its writes comes, and its lease runs out.
	die := func(b *bench) {
		b.fail = func(string) error {
			b.steal(b.t.Context(), "j")
			return errors.New("killed")
		}
		_ = b.run("j", b.plenty())
		b.clock.move(2 * time.Minute)
	}
	garbage := func(b *bench) {
		if _, err := b.client.Doc("_functions/j").Set(b.t.Context(), map[string]any{"state": "queued", "hop": "no number", "wakeAt": b.clock.Now()}); err != nil {
			b.t.Fatal(err)
		}
		b.clock.move(time.Minute)
	}
	for name, c := range map[string]struct {
		kind  string
		story func(b *bench)
	}{
		"an error that no retry can help": {"visit", func(b *bench) {
			b.fail = func(string) error { return chunker.Permanent(errors.New("bad")) }
			_ = b.run("j", b.plenty())
		}},
		"all attempts used up": {"visit", func(b *bench) {
			b.fail = func(string) error { return errors.New("bad") }
			for range 6 {
				_ = b.run("j", b.plenty())
				b.clock.move(time.Hour)
			}
		}},
		"steps that die, found by events": {"visit", func(b *bench) {
			for range 6 {
				die(b)
			}
		}},
		"steps that die, found by Sweep": {"visit", func(b *bench) {
			for range 6 {
				die(b)
				b.sweep()
			}
		}},
		"no job, found by its event": {"", func(b *bench) {
			garbage(b)
			for range 2 {
				_ = b.run("j", b.plenty())
			}
		}},
		"no job, found by Sweep": {"", func(b *bench) {
			garbage(b)
			b.sweep()
			b.sweep()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
			c.story(b)
			if job, err := b.Get(t.Context(), "j"); err != nil || job.State != chunker.Failed {
				t.Fatalf("the job is %+v, %v", job, err)
			}
			testkit.Same(t, "told of", []string{c.kind}, b.gaveUp)
		})
	}
}
