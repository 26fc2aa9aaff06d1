package chunker_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// guards refuse what production would, by the project's indexes.
var guards = sync.OnceValues(func() (*guard.Guard, error) {
	file, err := os.ReadFile("../firestore.indexes.json")
	if err != nil {
		return nil, err
	}
	return guard.Parse(file)
})

// connect is a client behind the guards, which see what reaches the emulator.
func connect(ctx context.Context, project string, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	g, err := guards()
	if err != nil {
		return nil, err
	}
	m, err := testkit.Start()
	if err != nil {
		return nil, err
	}
	return wire.Open(ctx, project, m.Emulator.FirestoreHost(), append(interceptors, wire.Interceptor{Unary: g.Unary, Stream: g.Stream})...)
}

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// bench is an engine over a database of its own, with a collection of items to
// walk. Nothing triggers it: tests deliver events by calling run.
type bench struct {
	*chunker.Engine
	t      *testing.T
	client *firestore.Client
	clock  *clock

	project  string
	patience time.Duration

	mu      sync.Mutex
	visited []string // items in the order of the walk, with repetitions
	fail    func(item string) error
	gaveUp  []string // kinds of jobs that failed for good, as logged
	// keptFailing is how often a job was said to keep failing.
	keptFailing int
}

// logged is a log that keeps what alerts count.
type logged struct {
	slog.Handler
	b *bench
}

func (l logged) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == slog.LevelError && r.Message == "job keeps failing" {
		l.b.mu.Lock()
		defer l.b.mu.Unlock()
		l.b.keptFailing++
	}
	if r.Level == slog.LevelError && r.Message == "job failed" {
		l.b.mu.Lock()
		defer l.b.mu.Unlock()
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "kind" {
				l.b.gaveUp = append(l.b.gaveUp, a.Value.String())
			}
			return true
		})
	}
	return l.Handler.Handle(ctx, r)
}

const items = 10

// wait waits on the bench's clock.
func (b *bench) wait(_ context.Context, d time.Duration) bool {
	b.clock.move(d)
	return true
}

func newBench(t *testing.T) *bench {
	t.Helper()
	project := testkit.ProjectID(t)
	client, err := connect(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, project: project, patience: time.Minute, client: client, clock: &clock{now: time.Now().UTC().Truncate(time.Microsecond)}, fail: func(string) error { return nil }}
	b.Engine = b.engine()
	documents := map[string]map[string]any{}
	for i := range items {
		documents[fmt.Sprintf("items/i%d", i)] = map[string]any{"n": i}
	}
	testkit.Write(t, client, documents)
	return b
}

// engine is another process's engine over the same database.
func (b *bench) engine() *chunker.Engine { return b.engineOn(b.client) }

func (b *bench) engineOn(client *firestore.Client) *chunker.Engine {
	e := chunker.New(client, chunker.Options{
		Chunk: 3, MaxAttempts: 4, Patience: b.patience, Now: b.clock.Now, Jitter: func(time.Duration) time.Duration { return 0 },
		Wait:   b.wait,
		Logger: slog.New(logged{slog.NewTextHandler(b.t.Output(), nil), b}),
	})
	visit := bulk.Walk(1,
		func(chunker.Job) (firestore.Query, error) { return client.Collection("items").Query, nil },
		func(_ context.Context, _ chunker.Job, doc *firestore.DocumentSnapshot) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.visited = append(b.visited, doc.Ref.ID)
			return b.fail(doc.Ref.ID)
		})
	counted := func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		page, err := visit(ctx, job, after, limit)
		page.Counts = map[string]int64{"visits": int64(page.Done)}
		return page, err
	}
	count := bulk.CountFirst(func(chunker.Job) (firestore.Query, error) { return client.Collection("items").Query, nil })
	e.Register(chunker.Task{Kind: "counted", Phases: []chunker.Phase{{Name: "count", Page: count}, {Name: "items", Page: counted}}})
	b.killTasks(e, client)
	e.Register(chunker.Task{Kind: "visit", Phases: []chunker.Phase{{Name: "items", Page: visit}}})
	e.Register(chunker.Task{Kind: "visit twice", Phases: []chunker.Phase{{Name: "one", Page: visit}, {Name: "two", Page: visit}}})
	return e
}

func (b *bench) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) enqueue(s chunker.Spec) {
	b.t.Helper()
	if err := b.Enqueue(b.t.Context(), s); err != nil {
		b.t.Fatal(err)
	}
}

// plenty is a budget that lasts for pages, and not for the wait until one is repeated;
// patient is one that lasts for those waits too; pages(n) is one that is spent after n pages.
func (b *bench) plenty() chunker.Budget { return b.patient().Yield(100 * time.Millisecond) }

func (b *bench) patient() chunker.Budget {
	return chunker.NewBudget(b.t.Context(), b.clock.Now(), time.Hour, time.Second, b.clock.Now)
}

func (b *bench) pages(n int) chunker.Budget {
	start := time.Now()
	var reads int
	return chunker.NewBudget(b.t.Context(), start, time.Minute, 0, func() time.Time {
		reads++ // once before a page, once after it
		if reads < 2*n {
			return start
		}
		return start.Add(time.Hour)
	})
}

// run delivers an event of a job.
func (b *bench) run(id string, budget chunker.Budget) error { return b.Run(b.t.Context(), id, budget) }

func (b *bench) job(id string) chunker.Job {
	b.t.Helper()
	doc, err := b.client.Doc("_functions/" + id).Get(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	var job chunker.Job
	if err := doc.DataTo(&job); err != nil {
		b.t.Fatal(err)
	}
	return job
}

func (b *bench) wantState(id string, want chunker.State) chunker.Job {
	b.t.Helper()
	job := b.job(id)
	if job.State != want {
		b.t.Fatalf("job is %s with error %+v, want %s", job.State, job.Error, want)
	}
	return job
}
