package batch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestEachContinuesAfterErrorsAndPanics(t *testing.T) {
	t.Parallel()
	l := NewLimiter(mega, 2)
	bad := errors.New("bad")
	var done atomic.Int32
	var failed []string // without a lock: one at a time
	err := Each(t.Context(), l, []int{1, 2, 3, 4}, nil, func(_ context.Context, _ *Share, n int) error {
		done.Add(1)
		switch n {
		case 1:
			return bad
		case 2:
			panic("oh")
		}
		return nil
	}, func(err error) { failed = append(failed, err.Error()) })
	slices.Sort(failed)
	if err != nil || done.Load() != 4 || len(failed) != 2 || failed[0] != "bad" || !strings.Contains(failed[1], "oh") {
		t.Errorf("%d items, errors %q, %v; want 4 with the error and the panic", done.Load(), failed, err)
	}
	if !l.free.TryAcquire(mega) {
		t.Error("bytes are taken when Each has ended")
	}
}

// Small items run as many at once as the parallelism, and all together stay within the
// budget, also while some hold much or resize their shares.
func TestEachStaysWithinTheBudget(t *testing.T) {
	const budget, parallel = 8 * mega, 16
	for name, c := range map[string]struct {
		bytes []int // of an item, repeated
		least int32 // that run at once at some time
		most  int32 // that ever do
	}{
		"small":    {[]int{0, 1, mega / 2}, parallel, parallel},
		"large":    {[]int{2 * mega}, 4, 4},
		"too much": {[]int{100 * mega}, 1, 1},
		// Four fill the budget. Where a large one ends first, more than one small one has its place.
		"mixed": {[]int{3 * mega, 0, 0, 4 * mega}, 4, parallel},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := NewLimiter(budget, parallel)
				items := slices.Repeat(c.bytes, 50)
				var running, most atomic.Int32
				var held, peak atomic.Int64
				err := Each(t.Context(), l, items, func(bytes int) int { return bytes }, func(ctx context.Context, s *Share, bytes int) error {
					n := running.Add(1)
					sum := held.Add(int64(s.Bytes()))
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					for p := peak.Load(); sum > p && !peak.CompareAndSwap(p, sum); p = peak.Load() {
					}
					<-time.After(time.Second) // of the bubble's clock
					running.Add(-1)
					held.Add(-int64(s.Bytes()))
					s.Shrink(0)
					return s.Resize(ctx, bytes)
				}, func(err error) { t.Error(err) })
				if err != nil || peak.Load() > budget || most.Load() < c.least || most.Load() > c.most {
					t.Errorf("%d at once with %d bytes, %v; want %d to %d at once with at most %d", most.Load(), peak.Load(), err, c.least, c.most, budget)
				}
			})
		})
	}
}

func TestEachStopsAtTheEndOfItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		began, ended := 0, false
		err := Each(ctx, NewLimiter(mega, 1), []int{1, 2, 3}, nil, func(context.Context, *Share, int) error {
			began++
			cancel(gone)
			<-time.After(time.Minute) // of the bubble's clock: it ends what it has begun
			ended = true
			return nil
		}, func(err error) { t.Error(err) })
		if !errors.Is(err, gone) || began != 1 || !ended {
			t.Errorf("%d items began, ended is %t, %v; want one, ended, and the cause", began, ended, err)
		}
	})
}
