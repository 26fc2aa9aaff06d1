package chunker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
)

// However a job comes to fail for good, that is told once: somebody counts on it.
func TestAJobThatFailsForGoodIsToldOfOnce(t *testing.T) {
	t.Parallel()
	// The step dies: none of its writes comes, and its lease runs out.
	die := func(ctx context.Context, b *bench) {
		b.fail = func(string) error {
			b.steal(ctx, "j")
			return errors.New("killed")
		}
		_ = b.run("j", b.plenty())
		b.clock.move(2 * time.Minute)
	}
	garbage := func(ctx context.Context, b *bench) {
		if _, err := b.client.Doc("_functions/j").Set(ctx, map[string]any{"state": "queued", "hop": "no number", "wakeAt": b.clock.Now()}); err != nil {
			b.t.Fatal(err)
		}
		b.clock.move(time.Minute)
	}
	for name, c := range map[string]struct {
		kind  string
		story func(ctx context.Context, b *bench)
	}{
		"an error that no retry can help": {"visit", func(_ context.Context, b *bench) {
			b.fail = func(string) error { return chunker.Permanent(errors.New("bad")) }
			_ = b.run("j", b.plenty())
		}},
		"all attempts used up": {"visit", func(_ context.Context, b *bench) {
			b.fail = func(string) error { return errors.New("bad") }
			for range 6 {
				_ = b.run("j", b.plenty())
				b.clock.move(time.Hour)
			}
		}},
		"steps that die, found by events": {"visit", func(ctx context.Context, b *bench) {
			for range 6 {
				die(ctx, b)
			}
		}},
		"steps that die, found by Sweep": {"visit", func(ctx context.Context, b *bench) {
			for range 6 {
				die(ctx, b)
				b.sweep()
			}
		}},
		"no job, found by its event": {"", func(ctx context.Context, b *bench) {
			garbage(ctx, b)
			for range 2 {
				_ = b.Run(ctx, "j", 1, b.plenty())
			}
		}},
		"no job, found by Sweep": {"", func(ctx context.Context, b *bench) {
			garbage(ctx, b)
			b.sweep()
			b.sweep()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
			c.story(t.Context(), b)
			if job, err := b.Get(t.Context(), "j"); err != nil || job.State != chunker.Failed {
				t.Fatalf("the job is %+v, %v", job, err)
			}
			if diff := cmp.Diff([]string{c.kind}, b.gaveUp); diff != "" {
				t.Errorf("told of (-want +got):\n%s", diff)
			}
		})
	}
}
