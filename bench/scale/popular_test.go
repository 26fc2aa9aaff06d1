package scale

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
)

const (
	popularFollows = 50_000
	popularPosts   = 20
	popularWorkers = 3
	star           = "star" // the popular author
)

// BenchmarkPopular is an author who becomes popular while three processes serve
// the functions: 50,000 follows, as fast as the emulator delivers their events,
// until every one has its place. The same events go to a function that does nothing
// first, on the same emulator. It fails if anything is not exact, was logged as a
// warning or worse, had to be delivered again, or starved; rates it only reports.
func BenchmarkPopular(b *testing.B) {
	for _, c := range []struct {
		name  string
		posts int
	}{{"silent", 0}, {"posting", popularPosts}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				run := popular{follows: popularFollows, posts: c.posts, workers: popularWorkers}
				run.start(b)
				noop := run.nothing(b)
				took := run.measure(b)
				run.check(b)
				rate := float64(run.follows) / took.Seconds()
				report(b, 0, "ns/op")
				report(b, rate, "follows/s")
				report(b, noop, "noop-events/s")
				report(b, rate/noop, "of-noop")
				report(b, run.waits.Longest.Seconds(), "longest-wait-s")
				report(b, float64(run.waits.Overtaken), "overtaken")
				report(b, float64(run.redelivered), "redeliveries")
			}
		})
	}
}

// BenchmarkPopularCost is what a fifth of the same follows are billed. The meter,
// and the guards, stand between the functions and the emulator, so there are no rates.
func BenchmarkPopularCost(b *testing.B) {
	for b.Loop() {
		run := popular{follows: popularFollows / 5, posts: popularPosts, workers: popularWorkers, metered: true}
		run.start(b)
		run.measure(b)
		run.check(b)
		report(b, 0, "ns/op")
		report(b, float64(run.used.Reads)/float64(run.follows), "reads/follow")
		report(b, float64(run.used.Writes)/float64(run.follows), "writes/follow")
	}
}

// popular is one run of the workload.
type popular struct {
	follows, posts, workers int
	metered                 bool // else nothing is between the functions and the emulator

	system      *processes.System
	meter       wire.Meter
	used        wire.Counts
	waits       emulator.Waits
	redelivered int64
}

func (p *popular) start(tb testing.TB) {
	tb.Helper()
	options := processes.Options{
		Project: "demo-popular", Workers: p.workers, Functions: schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}},
		Unguarded: !p.metered,
	}
	if p.metered {
		options.Interceptors = []wire.Interceptor{p.meter.Interceptor()}
	}
	var err error
	p.system, err = processes.Start(context.WithoutCancel(tb.Context()), options)
	if err != nil {
		tb.Fatal("this needs the Firestore emulator:", err)
	}
	tb.Cleanup(func() {
		if err := p.system.Close(); err != nil {
			tb.Error(err)
		}
		if tb.Failed() {
			tb.Log("logs:", p.system.Dir())
		} else if err := p.system.RemoveLogs(); err != nil {
			tb.Error(err)
		}
	})
}

// nothing is the rate, in events a second, at which the same events reach a
// function that does nothing, from the first write until idle.
func (p *popular) nothing(tb testing.TB) float64 {
	tb.Helper()
	const project = "demo-nothing"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer server.Close()
	client, err := wire.Open(tb.Context(), project, p.system.FirestoreHost())
	if err != nil {
		tb.Fatal(err)
	}
	defer client.Close()
	t := triggers.Events(p.system.Config())[0]
	if err := p.system.Broker().Register(tb.Context(), project, emulator.Trigger{
		Name: t.Name, EventType: t.EventType, Document: t.Document, Concurrency: t.Concurrency, URL: server.URL,
	}); err != nil {
		tb.Fatal(err)
	}
	idle := func() {
		if err := p.system.Broker().Idle(tb.Context(), project); err != nil {
			tb.Fatal(err)
		}
	}
	follow(tb, client, "warm-up", p.follows/10, nil)
	idle()
	started := time.Now()
	follow(tb, client, star, p.follows, nil)
	idle()
	return float64(p.follows) / time.Since(started).Seconds()
}

// measure is the time from the first follow until every event has been handled.
// The posts come while the follows do: one after each n-th part of them.
func (p *popular) measure(tb testing.TB) time.Duration {
	tb.Helper()
	before, started := p.meter.Counts(), time.Now()
	follow(tb, p.system.Client(), star, p.follows, p.post(tb))
	ctx, cancel := context.WithTimeout(tb.Context(), 20*time.Minute)
	defer cancel()
	if err := p.system.Idle(ctx); err != nil {
		tb.Fatal(err)
	}
	took := time.Since(started)
	p.used = p.meter.Counts().Minus(before)
	p.waits = p.system.Broker().Waits(p.system.Config().Project)
	p.redelivered = p.system.Stats().Redeliveries
	return took
}

// followsAtOnce is how many follows a client's commit has: the emulator's
// deliveries are to be what limits, and not its writes.
const followsAtOnce = 20

// follow writes n follower documents of the author, in the order of their names,
// and calls each with how many are written, after every commit.
func follow(tb testing.TB, client *firestore.Client, author string, n int, each func(written int)) {
	tb.Helper()
	for first := 0; first < n; first += followsAtOnce {
		batch := client.Batch() //nolint:staticcheck // one commit is what is wanted
		for i := first; i < min(first+followsAtOnce, n); i++ {
			batch.Set(client.Doc(fmt.Sprintf("users/%s/followers/%s", author, followerID(i))), map[string]any{"createdAt": firestore.ServerTimestamp})
		}
		if _, err := batch.Commit(tb.Context()); err != nil {
			tb.Fatal(err)
		}
		if each != nil {
			each(min(first+followsAtOnce, n))
		}
	}
}
