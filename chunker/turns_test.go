package chunker_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// However many jobs one author has, in whatever order their events come, another's
// begin at once: and a follower's kind does not wait for the author's.
func TestOneAuthorsJobsLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	const most = 8
	b := newBench(t)
	engine := chunker.New(b.client, chunker.Options{Turns: most, Now: b.clock.Now})
	var running, highest atomic.Int64
	entered, leave := make(chan string, 100), make(chan struct{})
	open := sync.OnceFunc(func() { close(leave) })
	t.Cleanup(open)
	for _, kind := range []string{"posts", "followers"} {
		engine.Register(chunker.Task{Kind: kind, Phases: []chunker.Phase{{Name: "p", Page: func(_ context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
			if job.Owner == "ann" && kind == "posts" {
				n := running.Add(1)
				for at := highest.Load(); n > at && !highest.CompareAndSwap(at, n); at = highest.Load() {
				}
				defer running.Add(-1)
			}
			entered <- job.ID
			<-leave
			return chunker.Page{}, nil
		}}}})
	}
	var all sync.WaitGroup
	var busy atomic.Int64
	begin := func(id, kind, owner string) {
		if err := engine.Enqueue(t.Context(), chunker.Spec{ID: id, Kind: kind, Owner: owner}); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			switch err := engine.Run(t.Context(), id, 1, b.plenty()); {
			case errors.Is(err, chunker.ErrBusy):
				busy.Add(1)
				entered <- ""
			case err != nil:
				t.Error(err)
				entered <- ""
			}
		})
	}
	const waiting = 3
	for n := range most + waiting {
		begin(fmt.Sprintf("ann-%02d", n), "posts", "ann")
	}
	for range most + waiting {
		<-entered
	}
	begin("of-bob", "posts", "bob")
	begin("of-anns-followers", "followers", "ann")
	begin("of-nobody", "posts", "")
	for range 3 {
		if id := <-entered; id == "" {
			t.Error("a job of somebody else waits")
		}
	}
	open()
	all.Wait()
	if n := highest.Load(); n != most || busy.Load() != waiting {
		t.Errorf("%d jobs of one author ran at once, want %d; %d waited", n, most, busy.Load())
	}
	for n := range most + waiting { // their events come again
		if err := engine.Run(t.Context(), fmt.Sprintf("ann-%02d", n), 1, b.plenty()); err != nil {
			t.Fatal(err)
		}
		if job := b.wantState(fmt.Sprintf("ann-%02d", n), chunker.Done); job.Owner != "" {
			t.Errorf("a job that is done names its owner: %q", job.Owner)
		}
	}
}

// A job that waits for its turn is queued again less and less often, with one event
// that waits; and when there is a turn, whichever event comes runs it.
func TestAJobThatWaitsForItsTurnCostsLittle(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	engine := chunker.New(b.client, chunker.Options{Turns: 1, Now: b.clock.Now})
	inside, leave := make(chan struct{}), make(chan struct{})
	engine.Register(chunker.Task{Kind: "k", Phases: []chunker.Phase{{Name: "p", Page: func(_ context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
		if job.ID == "first" {
			close(inside)
			<-leave
		}
		return chunker.Page{}, nil
	}}}})
	for _, id := range []string{"first", "waits"} {
		if err := engine.Enqueue(t.Context(), chunker.Spec{ID: id, Kind: "k", Owner: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	var first sync.WaitGroup
	first.Go(func() {
		if err := engine.Run(t.Context(), "first", 1, b.realTime()); err != nil {
			t.Error(err)
		}
	})
	<-inside
	const minutes = 120
	for range minutes { // the other holds its lease: nothing renews it on a clock that jumps
		b.clock.move(time.Minute)
		if _, err := b.client.Doc("_functions/first").Update(t.Context(), []firestore.Update{{Path: "wakeAt", Value: b.clock.Now()}, {Path: "lease.until", Value: b.clock.Now().Add(time.Minute)}}); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Sweep(t.Context(), b.plenty()); err != nil {
			t.Fatal(err)
		}
	}
	job := b.wantState("waits", chunker.Queued)
	if job.Hop < minutes/10 || job.Hop > minutes/4 {
		t.Errorf("%d events in %d minutes, want one each five minutes or so", job.Hop, minutes)
	}
	if err := engine.Run(t.Context(), "waits", job.Hop, b.plenty()); !errors.Is(err, chunker.ErrBusy) {
		t.Errorf("the newest event gets %v, want ErrBusy", err)
	}
	if err := engine.Run(t.Context(), "waits", job.Hop-1, b.plenty()); err != nil {
		t.Errorf("an older one gets %v: it is not needed", err)
	}
	close(leave)
	first.Wait()
	if err := engine.Run(t.Context(), "waits", job.Hop-2, b.plenty()); err != nil {
		t.Fatal(err)
	}
	if job := b.wantState("waits", chunker.Done); job.Sweeps != 0 {
		t.Errorf("after a step %d sweeps are counted", job.Sweeps)
	}
}
