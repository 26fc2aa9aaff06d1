package batch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/relationindex/internal/wire"
)

// doubled is a Group whose batches note their sizes and give each item twice
// its value.
func doubled(batches *[]int, hold <-chan struct{}) *Group[string, int, int] {
	var mu sync.Mutex
	return &Group[string, int, int]{
		Timeout: time.Minute,
		Run: func(_ context.Context, _ *Batch, _ string, items []int) []Outcome[int] {
			mu.Lock()
			*batches = append(*batches, len(items))
			mu.Unlock()
			<-hold
			out := make([]Outcome[int], len(items))
			for i, v := range items {
				out[i].Value = 2 * v
			}
			return out
		},
	}
}

func TestGroupWaitingCallsShareABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches []int
		hold := make(chan struct{})
		g := doubled(&batches, hold)
		g.Fits = func(batch []int, _ int) bool { return len(batch) < 6 }
		var calls sync.WaitGroup
		call := func(v int) {
			calls.Go(func() {
				if got, err := g.Do(t.Context(), "key", v); got != 2*v || err != nil {
					t.Errorf("Do(%d) = %d, %v", v, got, err)
				}
			})
		}
		call(0)
		synctest.Wait() // the first runs alone
		for v := range 10 {
			call(v)
		}
		synctest.Wait()
		close(hold)
		calls.Wait()
		if want := []int{1, 6, 4}; len(batches) != 3 || batches[0] != want[0] || batches[1] != want[1] || batches[2] != want[2] {
			t.Errorf("batches of %v, want %v", batches, want)
		}
		synctest.Wait()
		if len(g.waiting) != 0 {
			t.Errorf("%d keys are kept when nothing waits", len(g.waiting))
		}
	})
}

func TestGroupKeepsItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches []int
		hold := make(chan struct{})
		close(hold)
		g := doubled(&batches, hold)
		g.Pace = time.Second
		start := time.Now()
		for range 3 {
			if _, err := g.Do(t.Context(), "key", 1); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("three calls one after the other took %v, want 2s: the first does not wait", took)
		}
		if _, err := g.Do(t.Context(), "other key", 1); err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("another key waited until %v", time.Since(start))
		}
		<-time.After(time.Minute) // of the bubble's clock
		start = time.Now()
		if _, err := g.Do(t.Context(), "key", 1); err != nil || time.Since(start) != 0 {
			t.Errorf("a call after a rest took %v", time.Since(start))
		}
		<-time.After(time.Minute)
	})
}

func TestGroupCanceledCallFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches []int
		hold := make(chan struct{})
		g := doubled(&batches, hold)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := g.Do(ctx, "key", 1)
			gone <- err
		}()
		stayed := make(chan error)
		synctest.Wait()
		go func() {
			_, err := g.Do(t.Context(), "key", 2)
			stayed <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the call that gave up got %v", err)
		}
		close(hold)
		if err := <-stayed; err != nil {
			t.Errorf("the other call got %v", err)
		}
	})
}

func TestGroupAPanicIsAnError(t *testing.T) {
	g := &Group[string, int, int]{Timeout: time.Minute, Logger: slog.New(slog.DiscardHandler), Run: func(context.Context, *Batch, string, []int) []Outcome[int] { panic("oh") }}
	if _, err := g.Do(t.Context(), "key", 1); err == nil {
		t.Error("no error")
	}
	g.Run = func(_ context.Context, _ *Batch, _ string, items []int) []Outcome[int] {
		return []Outcome[int]{{Value: items[0]}}
	}
	if got, err := g.Do(t.Context(), "key", 1); got != 1 || err != nil {
		t.Errorf("after a panic Do = %d, %v", got, err)
	}
}

// The cost of a batch is charged to the runs that wait for it, in equal parts. A run that
// gave up is charged nothing. A cost without a waiting run is charged to the next batch.
// Nothing is lost or counted twice.
func TestGroupChargesWaitingRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches []int
		hold := make(chan struct{})
		g := doubled(&batches, hold)
		run := g.Run
		g.Run = func(ctx context.Context, b *Batch, key string, items []int) []Outcome[int] {
			wire.MeterOf(ctx).Add(wire.Counts{Reads: 7, Writes: 3})
			return run(ctx, b, key, items)
		}
		var calls sync.WaitGroup
		call := func(ctx context.Context) *wire.Meter {
			ctx, meter := wire.WithMeter(ctx)
			calls.Go(func() { _, _ = g.Do(ctx, "key", 1) })
			synctest.Wait()
			return meter
		}
		impatient, giveUp := context.WithCancel(t.Context())
		lonely := call(impatient) // alone in the first batch
		first, second := call(t.Context()), call(t.Context())
		other := call(impatient) // in the second, with these
		giveUp()
		synctest.Wait()
		close(hold)
		calls.Wait()
		for i, c := range []struct {
			meter *wire.Meter
			want  wire.Counts
		}{
			{lonely, wire.Counts{}}, {other, wire.Counts{}},
			{first, wire.Counts{Reads: 7, Writes: 3}}, {second, wire.Counts{Reads: 7, Writes: 3}}, // of 14 and 6
		} {
			if got := c.meter.Counts(); got != c.want {
				t.Errorf("run %d is charged %v, want %v", i, got, c.want)
			}
		}
	})
}
