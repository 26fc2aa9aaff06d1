package batch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

const mega = 1 << 20

func TestSharesOfALimiter(t *testing.T) {
	t.Parallel()
	l := NewLimiter(8*mega, 16)
	for _, c := range []struct{ bytes, want int }{
		{-1, mega / 2}, {0, mega / 2}, {mega / 2, mega / 2}, {mega, mega}, {8 * mega, 8 * mega}, {9 * mega, 8 * mega},
	} {
		s, err := l.Take(t.Context(), c.bytes)
		if err != nil || s.Bytes() != c.want {
			t.Fatalf("a share for %d bytes has %d, %v; want %d", c.bytes, s.Bytes(), err, c.want)
		}
		s.Shrink(9 * mega)
		if s.Bytes() != c.want {
			t.Errorf("Shrink made a share of %d bytes one of %d", c.want, s.Bytes())
		}
		s.Shrink(0)
		if s.Bytes() != mega/2 {
			t.Errorf("a share for %d bytes shrinks to %d, want %d, the least", c.bytes, s.Bytes(), mega/2)
		}
		if err := s.Resize(t.Context(), 8*mega); err != nil || s.Bytes() != 8*mega { // it does not wait for itself
			t.Fatalf("the share grows to %d, %v; want %d", s.Bytes(), err, 8*mega)
		}
		if err := s.Resize(t.Context(), mega); err != nil || s.Bytes() != mega {
			t.Errorf("the share is resized to %d, %v; want %d", s.Bytes(), err, mega)
		}
		s.Release()
		s.Release()
	}
	if !l.free.TryAcquire(8 * mega) {
		t.Error("bytes are taken when all shares are released")
	}
}

func TestGrowingShareReleasesBeforeWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(8*mega, 8)
		grown := make(chan error, 2)
		for range 2 { // each would wait for the other for ever
			s, err := l.Take(t.Context(), 4*mega)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				defer s.Release()
				<-time.After(time.Second) // of the bubble's clock
				grown <- s.Resize(t.Context(), 8*mega)
			}()
		}
		for range 2 {
			if err := <-grown; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestLimiterStopsWaitingWhenContextEnds(t *testing.T) {
	t.Parallel()
	l := NewLimiter(8*mega, 8)
	all, err := l.Take(t.Context(), 8*mega)
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if s, err := l.Take(ctx, 1); !errors.Is(err, gone) || s != nil {
		t.Errorf("Take returns %v, %v; want the cause", s, err)
	}
	all.Shrink(mega)
	if err := all.Resize(ctx, 2*mega); !errors.Is(err, gone) || all.Bytes() != 0 {
		t.Errorf("Resize returns %v with %d bytes, want the cause and none", err, all.Bytes())
	}
	all.Release()
	if !l.free.TryAcquire(8 * mega) {
		t.Error("bytes are taken when all shares are released")
	}
}

// As many small shares as the parallelism fit, and no more, whatever the numbers.
func TestLimiterAllowsExactParallelism(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parallel := rapid.IntRange(1, 1000).Draw(t, "parallel")
		l := NewLimiter(8*mega, parallel)
		for n := range parallel {
			if !l.free.TryAcquire(l.size(0)) {
				t.Fatalf("%d small shares fit, want %d", n, parallel)
			}
		}
		if l.free.TryAcquire(l.size(0)) {
			t.Fatalf("more than %d small shares fit", parallel)
		}
	})
}
