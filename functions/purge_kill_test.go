package functions_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/functions"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

// worker is a process that runs jobs, without triggers: its steps are called.
type worker struct {
	*chunker.Engine
	index  *social.System
	client *firestore.Client
}

// worker starts a process whose clock is ahead, and whose calls interceptors see.
func (a *app) worker(ahead time.Duration, interceptors ...wire.Interceptor) worker {
	a.T.Helper()
	client, err := local.Open(a.T.Context(), a.ID, testkit.Machine(a.T).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		a.T.Fatal(err)
	}
	now := func() time.Time { return time.Now().Add(ahead) }
	engine := chunker.New(client, chunker.Options{Chunk: a.Config.Chunk, Now: now, Wait: testkit.NoWait})
	index, err := social.New(client, engine, functions.RelationsOptions(a.Config))
	if err != nil {
		a.T.Fatal(err)
	}
	return worker{engine, index, client}
}

// purge deletes the account's traces, from the event to the end of the job.
func (w worker) purge(a *app, user string) error {
	if err := w.index.Accounts.Purge(a.T.Context(), user, "1", ""); err != nil {
		return err
	}
	return w.finish(a)
}

// finish runs steps, one of each job in turn, until no job is left to run.
func (w worker) finish(a *app) error {
	for range 100 {
		jobs, err := w.Unfinished(a.T.Context(), 100)
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, job := range jobs {
			budget := chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil).Yield(time.Nanosecond)
			if err := w.Run(a.T.Context(), job.ID, budget); err != nil {
				return err
			}
		}
	}
	return errors.New("a job goes on for ever")
}

// A purge is killed at each of its writes in turn and resumed by
// another process: nothing is left, and the receipt is the same. No event helps.
func TestPurgeKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	cfg := config.Functions{Capacity: 1, Chunk: 1}
	a := newApp(t, cfg)
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("ada", "star")
	for n := range 2 {
		a.Follow(fmt.Sprintf("fan%d", n), "ada")
		a.Post(fmt.Sprintf("p%d", n), "ada", day)
	}
	a.Settle()
	documents := testkit.Documents(t, a.Client, nil)
	delete(documents, "users/ada")

	const least = 30 // writes
	killEach(t, testkit.Stride(t), 1, least, func(t *testing.T, death *faults.Death) {
		a := copyOf(t, cfg, documents)
		_ = a.worker(0, death.Interceptor()).purge(a, "ada")
		if !death.Died() {
			return
		}
		if err := a.worker(2*time.Minute).purge(a, "ada"); err != nil {
			t.Fatal("resumed: ", err)
		}
		want := map[string]int64{"followers": 2, "following": 1, "indexDocuments": 2, "relations": 4, "posts": 2, "requests": 0, "requested": 0, "timeline": 0, "timelines": 0, "delivered": 0, "settings": 0, "hidden": 0, "rates": 0, "comments": 0, "mentions": 0, "groups": 0, "blocked": 0}
		if diff := cmp.Diff(want, a.PurgeJob().Counts); diff != "" {
			t.Errorf("the receipt (-want +got):\n%s", diff)
		}
		a.WantGone("ada")
		a.WantVerified()
	})
}

// killEach has a process die at its writes in turn, a stride apart, from the one with the number
// first on, until it has made them all, which are least or more.
func killEach(t *testing.T, stride, first, least int, kill func(*testing.T, *faults.Death)) {
	t.Helper()
	const atOnce = 4 // points; they are no parallel tests, which would wait for all others that are
	var tried, points atomic.Int64
	var ended atomic.Bool
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for !ended.Load() {
				at := first + stride*int(tried.Add(1)-1)
				death := faults.NewDeath(at)
				passed := t.Run(fmt.Sprintf("write %d", at), func(t *testing.T) { kill(t, death) })
				if death.Died() {
					points.Add(1)
				}
				if !passed || !death.Died() {
					ended.Store(true)
				}
			}
		})
	}
	all.Wait()
	t.Logf("killed at %d points", points.Load())
	if int(points.Load())*stride < least {
		t.Errorf("only %d points were found", points.Load())
	}
}
