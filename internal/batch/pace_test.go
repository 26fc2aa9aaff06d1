package batch

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestPaceSlowsUnderContention(t *testing.T) {
	p := pacer{least: 100 * time.Millisecond, now: 100 * time.Millisecond}
	if got := p.next(false); got != p.least {
		t.Errorf("alone, the pace is %v, want %v", got, p.least)
	}
	for n, want := range []time.Duration{200, 400, 800, 800} {
		if got := p.next(true); got != want*time.Millisecond {
			t.Errorf("after batch %d in a row that planned twice the pace is %v, want %v", n+1, got, want*time.Millisecond)
		}
	}
	for n := 0; p.next(false) > p.least; n++ {
		if n > 20 {
			t.Fatalf("after %d batches that planned once the pace is %v still", n, p.now)
		}
	}
}

// A batch that notes contention is followed later.
func TestGroupSlowsUnderContention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		first := time.Now()
		var started []time.Duration
		g := &Group[string, int, int]{
			Pace: 100 * ms, Timeout: time.Minute,
			Run: func(_ context.Context, b *Batch, _ string, _ []int) []Outcome[int] {
				started = append(started, time.Since(first))
				if len(started) < 4 {
					b.NoteContention()
				}
				return []Outcome[int]{{}}
			},
		}
		want := []time.Duration{0, 100 * ms, 300 * ms, 700 * ms, 1500 * ms, 2200 * ms}
		for range want {
			if _, err := g.Do(t.Context(), "key", 1); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(started, want) {
			t.Errorf("batches started after %v, want %v", started, want)
		}
		<-time.After(time.Minute) // until the group is idle
	})
}

func TestNilBatchDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var none *Batch
		none.NoteContention()
		started := time.Now()
		if waited, err := none.AwaitTurn(t.Context(), started); waited || err != nil || time.Since(started) > 0 {
			t.Errorf("waited %t for %v, %v", waited, time.Since(started), err)
		}
	})
}

func TestPassesOverTheSameRelationsTakeTurns(t *testing.T) {
	const pace = 500 * time.Millisecond
	ms := time.Millisecond
	for _, c := range []struct {
		name    string
		updated time.Duration // before now
		ended   time.Duration // the pass of this process before; 0: none
		least   time.Duration // of waiting
		most    time.Duration
	}{
		{"another has written them just now", 100 * ms, 0, 200 * ms, 600 * ms},
		{"another has, after our last pass", 100 * ms, 300 * ms, 200 * ms, 600 * ms},
		{"we have", 300 * ms, 100 * ms, 0, 0},
		{"nobody has for long", time.Second, 0, 0, 0},
		{"by a clock that is ahead", -time.Hour, 0, 250 * ms, 750 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started := time.Now()
				b := &Batch{pace: pace}
				if c.ended != 0 {
					b.previous = started.Add(-c.ended)
				}
				newest := started.Add(-c.updated)
				waited, err := b.AwaitTurn(t.Context(), newest)
				if took := time.Since(started); err != nil || waited != (c.most > 0) || took < c.least || took > c.most {
					t.Errorf("waited %v: %v, %v; want %v to %v", took, waited, err, c.least, c.most)
				}
				if again, err := b.AwaitTurn(t.Context(), newest); again || err != nil {
					t.Errorf("a batch waited twice for its turn, %v", err)
				}
			})
		})
	}
}

// A process's own writes are no contention for it: a batch has the time at which the
// previous one ended, also if no item of the key waited in between.
func TestBatchHasEndTimeOfPreviousBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		var before []time.Time
		g := &Group[string, int, int]{
			Pace: 500 * time.Millisecond, Timeout: time.Minute,
			Run: func(_ context.Context, b *Batch, _ string, _ []int) []Outcome[int] {
				before = append(before, b.previous)
				<-time.After(300 * time.Millisecond)
				return []Outcome[int]{{}}
			},
		}
		for _, at := range []time.Duration{0, 600 * time.Millisecond, 10 * time.Second} {
			<-time.After(time.Until(started.Add(at)))
			if _, err := g.Do(t.Context(), "key", 1); err != nil {
				t.Fatal(err)
			}
		}
		want := []time.Time{{}, started.Add(300 * time.Millisecond), {}}
		for n := range want {
			if !before[n].Equal(want[n]) {
				t.Errorf("batch %d has %v as the end of the one before it, want %v", n, before[n], want[n])
			}
		}
		<-time.After(2 * time.Second) // until the group has forgotten the last
		synctest.Wait()
		if len(g.ended) > 0 || len(g.waiting) > 0 {
			t.Errorf("the group still holds %v and %v", g.ended, g.waiting)
		}
	})
}
