package chunker_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// of returns an engine with turns, whose jobs of kinds call work once.
func (b *bench) of(turns int, work func(chunker.Job), kinds ...string) *chunker.Engine {
	e := chunker.New(b.client, chunker.Options{Turns: turns, Now: b.clock.Now})
	for _, kind := range kinds {
		e.Register(chunker.Task{Kind: kind, Phases: []chunker.Phase{{Name: "p", Page: func(_ context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
			work(job)
			return chunker.Page{Done: 1}, nil
		}}}})
	}
	return e
}

// However many jobs one author has, in whatever order their events come, another's begin at
// once: and a follower's kind does not wait for the author's. Jobs whose events found no turn
// run when a step ends, and no event comes again.
func TestOneAuthorsJobsLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	const most, waiting = 8, 20
	b := newBench(t)
	var running, highest atomic.Int64
	entered, leave := make(chan string, 100), make(chan struct{})
	open := sync.OnceFunc(func() { close(leave) })
	t.Cleanup(open)
	engine := b.of(most, func(job chunker.Job) {
		if job.Owner == "ann" && job.Kind == "posts" {
			n := running.Add(1)
			for at := highest.Load(); n > at && !highest.CompareAndSwap(at, n); at = highest.Load() {
			}
			defer running.Add(-1)
		}
		entered <- job.ID
		<-leave
	}, "posts", "followers")
	var all sync.WaitGroup
	enqueue := func(id, kind, owner string) {
		b.ok(engine.Enqueue(t.Context(), chunker.Spec{ID: id, Kind: kind, Owner: owner}))
	}
	begin := func(id, kind, owner string) {
		enqueue(id, kind, owner)
		all.Go(func() {
			testkit.NoError(t, engine.Run(t.Context(), id, b.plenty()))
		})
	}
	for n := range most {
		begin(fmt.Sprintf("ann-%02d", n), "posts", "ann")
	}
	for range most {
		<-entered
	}
	for n := range waiting { // their events are done with
		id := fmt.Sprintf("ann-%02d", most+n)
		enqueue(id, "posts", "ann")
		b.ok(engine.Run(t.Context(), id, b.plenty()))
		b.wantState(id, chunker.Queued)
	}
	begin("of-bob", "posts", "bob")
	begin("of-anns-followers", "followers", "ann")
	begin("of-nobody", "posts", "")
	for range 3 {
		<-entered
	}
	open()
	all.Wait()
	if n := highest.Load(); n != most {
		t.Errorf("%d jobs of one author ran at once, want %d", n, most)
	}
	for n := range most + waiting {
		if job := b.wantState(fmt.Sprintf("ann-%02d", n), chunker.Done); job.Owner != "" || job.Hop != 1 {
			t.Errorf("a job that is done names its owner %q, and has hop %d", job.Owner, job.Hop)
		}
	}
}

// line enqueues jobs of an owner, one second after the other.
func (b *bench) line(e *chunker.Engine, ids ...string) {
	b.t.Helper()
	for _, id := range ids {
		if err := e.Enqueue(b.t.Context(), chunker.Spec{ID: id, Kind: "k", Owner: "ann"}); err != nil {
			b.t.Fatal(err)
		}
		b.clock.move(time.Second)
	}
}

// At its end a step runs or wakes its owner's oldest job, with and without time left. It skips a job
// of a newer release and a job that waits for its retry.
func TestStepContinuesWithOwnersOldestJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		budget func(*bench) chunker.Budget
		ran    []string
		hops   map[string]int64
	}{
		"with time": {(*bench).plenty, []string{"z", "b", "a", "c"}, map[string]int64{"a": 1, "b": 1, "c": 1}},
		"without":   {func(*bench) chunker.Budget { return chunker.Budget{} }, []string{"z"}, map[string]int64{"a": 1, "b": 2, "c": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			var ran []string
			engine := b.of(1, func(job chunker.Job) { ran = append(ran, job.ID) }, "k")
			old := b.clock.Now().Add(-time.Hour)
			testkit.Write(t, b.client, map[string]map[string]any{
				"_functions/newer":  {"kind": "k", "owner": "ann", "state": "queued", "wakeAt": old, "schema": chunker.Schema + 1, "hop": 1},
				"_functions/retry":  {"kind": "k", "owner": "ann", "state": "queued", "wakeAt": b.clock.Now().Add(time.Minute), "attempt": 1, "hop": 1},
				"_functions/others": {"kind": "k", "owner": "bob", "state": "queued", "wakeAt": old, "hop": 1},
			})
			b.line(engine, "b", "a", "c", "z")
			budget := c.budget(b)
			b.ok(engine.Run(t.Context(), "z", budget))
			testkit.Same(t, "ran", c.ran, ran)
			for _, id := range []string{"newer", "retry", "others"} {
				c.hops[id] = 1
			}
			hops := map[string]int64{}
			for id := range c.hops {
				hops[id] = b.job(id).Hop
			}
			testkit.Same(t, "hops", c.hops, hops)
		})
	}
}

// Steps of an owner that end at the same moment, without time, each wake another job.
func TestSimultaneousStepEndsWakeDifferentJobs(t *testing.T) {
	t.Parallel()
	const most = 6
	b := newBench(t)
	var together sync.WaitGroup
	together.Add(most)
	engine := b.of(most, func(chunker.Job) {
		together.Done()
		together.Wait()
	}, "k")
	var waiting, running []string
	for n := range most {
		running = append(running, fmt.Sprintf("runs-%d", n))
		waiting = append(waiting, fmt.Sprintf("waits-%d", n))
	}
	b.line(engine, append(waiting, running...)...)
	var all sync.WaitGroup
	for _, id := range running {
		all.Go(func() {
			testkit.NoError(t, engine.Run(t.Context(), id, b.realTime().Yield(time.Nanosecond)))
		})
	}
	all.Wait()
	for _, id := range waiting {
		if job := b.wantState(id, chunker.Queued); job.Hop != 2 {
			t.Errorf("%s has hop %d, want 2: woken once", id, job.Hop)
		}
	}
}

// A turn is useless when another process claimed the job first. It still rejects other jobs;
// they run when the turn is returned.
func TestUselessTurnLosesNoJob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.line(b.Engine, "taken", "refused")
	var ran []string
	refused := make(chan error, 1)
	var engine *chunker.Engine
	var once sync.Once
	b.client = testkit.Open(t, b.project, wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if commit, ok := req.(*pb.CommitRequest); ok && strings.HasSuffix(commit.GetWrites()[0].GetUpdate().GetName(), "/taken") {
				once.Do(func() {
					lease := map[string]any{"holder": "another", "until": b.clock.Now().Add(time.Minute)}
					testkit.Write(t, testkit.Open(t, b.project), map[string]map[string]any{"_functions/taken": {"kind": "k", "owner": "ann", "state": "running", "hop": 1, "lease": lease}})
					refused <- engine.Run(t.Context(), "refused", b.plenty())
				})
			}
			return invoke(ctx, method, req, reply, cc, opts...)
		},
	})
	engine = b.of(1, func(job chunker.Job) { ran = append(ran, job.ID) }, "k")
	b.ok(engine.Run(t.Context(), "taken", b.plenty()))
	testkit.NoError(t, <-refused)
	testkit.Same(t, "ran", []string{"refused"}, ran)
}

// Sweep wakes as many jobs of an owner as have turns, the oldest, and all others. They rest longer
// each time, as their events may be on their way. Jobs keep their place in the line.
func TestSweepWakesAnOwnersJobsByTurns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	engine := b.of(2, func(chunker.Job) {}, "k")
	b.line(engine, "d", "b", "c", "a")
	for n := range 3 {
		b.ok(engine.Enqueue(t.Context(), chunker.Spec{ID: fmt.Sprintf("nobodys-%d", n), Kind: "k"}))
	}
	for n, want := range []chunker.Swept{{Due: 7, Woken: 5}, {Due: 7, Woken: 5}, {Due: 7}, {Due: 7, Woken: 5}} {
		b.clock.move(30 * time.Second)
		swept, err := engine.Sweep(t.Context(), b.plenty())
		b.ok(err)
		testkit.Same(t, fmt.Sprintf("sweep %d", n+1), want, swept)
	}
	hops := map[string]int64{}
	for _, id := range []string{"a", "b", "c", "d"} {
		hops[id] = b.job(id).Hop
	}
	testkit.Same(t, "hops", map[string]int64{"a": 1, "b": 4, "c": 1, "d": 4}, hops)
}
