package sendtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

// world is a database of the test's own.
type world struct {
	t       *testing.T
	suite   Suite
	project string
	opts    schema.Config
	chunk   int          // documents in a page of the job; 0: the default
	opened  atomic.Int64 // number of processes so far
	*process
}

// process is a system in one process.
type process struct {
	*social.System
	client *firestore.Client
}

func (s Suite) newWorld(t *testing.T, opts schema.Config) *world {
	t.Helper()
	if opts.Deliveries == nil {
		opts.Deliveries = []schema.Delivery{s.Delivery}
	}
	w := &world{t: t, suite: s, project: testkit.ProjectID(t), opts: opts}
	w.process = w.open()
	return w
}

// open starts another process. Its clock is ahead of the leases of earlier ones. Queries need the
// deployed indexes.
func (w *world) open(interceptors ...wire.Interceptor) *process {
	w.t.Helper()
	g, err := guard.Parse(relationindex.FirestoreIndexes)
	w.must(err)
	g.Limits = nil
	client := testkit.Open(w.t, w.project, append(interceptors, wire.Interceptor{Unary: g.Unary, Stream: g.Stream})...)
	ahead := time.Duration(w.opened.Add(1)) * 2 * chunker.DefaultLease
	engine := chunker.New(client, chunker.Options{Chunk: w.chunk, Wait: testkit.NoWait, Now: func() time.Time { return time.Now().Add(ahead) }})
	s, err := social.New(client, engine, w.opts)
	w.must(err)
	return &process{s, client}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) set(path string, data map[string]any) {
	w.t.Helper()
	_, err := w.client.Doc(path).Set(w.t.Context(), data)
	w.must(err)
}

// write writes a post by ada to her followers, and to others.
func (w *world) write(p string, to ...string) {
	w.t.Helper()
	w.acquaint("ada", to...)
	w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "kind": "photo", "to": append([]string{}, to...), "createdAt": firestore.ServerTimestamp})
}

// acquaint makes people follow an author, by their edges alone.
func (w *world) acquaint(author string, followers ...string) {
	w.t.Helper()
	for _, f := range followers {
		w.set("users/"+f+"/following/"+author, map[string]any{"indexId": schema.IndexID(1)})
	}
}

// event handles the event of a post in a process.
func (w *world) event(p *process, post string) {
	w.t.Helper()
	w.must(p.Deliveries.Post(w.t.Context(), post))
}

// work runs all jobs to their end in a process, or until one fails.
func (p *process) work(ctx context.Context) error {
	for {
		open, err := p.Engine.Unfinished(ctx, 10)
		if err != nil || len(open) == 0 {
			return err
		}
		for _, job := range open {
			if err := p.step(ctx, job, time.Minute); err != nil {
				return err
			}
			if after, err := p.Engine.Get(ctx, job.ID); err == nil && after.Error != nil && !after.State.Finished() {
				return errors.New(after.Error.Message)
			}
		}
	}
}

// step runs pages of a job until long has passed. A nanosecond is enough for one page.
func (p *process) step(ctx context.Context, job chunker.Job, long time.Duration) error {
	return p.Engine.Run(ctx, job.ID, chunker.NewBudget(ctx, time.Now(), time.Minute, 0, nil).Yield(long))
}

// sent returns the part of the process that handles the app's own deliveries.
func (p *process) sent() followers.Delivery { return p.Deliveries[len(p.Deliveries)-1] }

// page runs one page of the job of a post, and reports whether there are more.
func (w *world) page(post string) bool {
	w.t.Helper()
	job, err := w.Engine.Get(w.t.Context(), w.jobOf(post))
	w.must(err)
	w.must(w.step(w.t.Context(), job, 1))
	job, err = w.Engine.Get(w.t.Context(), job.ID)
	w.must(err)
	return !job.State.Finished()
}

// brought handles a post's event twice in the world's process, and runs all jobs. Then it repeats that.
func (w *world) brought(post string) {
	w.t.Helper()
	for range 2 {
		w.event(w.process, post)
		w.event(w.process, post)
		w.must(w.work(w.t.Context()))
	}
}

// crowd writes index documents with followers of an author, as if all had followed.
func (w *world) crowd(author string, parts ...[]string) {
	w.t.Helper()
	documents := map[string]map[string]any{}
	var ids []string
	for n, readers := range parts {
		readers = slices.Clone(readers)
		slices.Reverse(readers) // index documents have no order
		ids = append(ids, schema.IndexID(n+1))
		documents["users/"+author+"/followers_index/"+ids[n]] = map[string]any{
			"followers": append([]string{}, readers...), "count": len(readers), "sizeBytes": schema.IDsBytes(readers), "version": time.Now().UnixNano(), "changes": []any{}, "backfilled": true,
		}
	}
	documents["users/"+author] = map[string]any{"name": author, "followers_index": ids, "latestFollowersIndex": ids[len(ids)-1]}
	testkit.Write(w.t, w.client, documents)
}

// readers returns ids such as r007, for the numbers from up to and without to.
func readers(from, to int) (ids []string) {
	for n := from; n < to; n++ {
		ids = append(ids, fmt.Sprintf("r%03d", n))
	}
	return ids
}

// readersOf returns the readers who were told of a post, sorted, each as often as they were told; with
// Repeats, each once.
func (w *world) readersOf(post string) []string {
	w.t.Helper()
	told, err := w.suite.Told(w.t.Context(), w.client, post)
	w.must(err)
	told = append([]string{}, slices.Sorted(slices.Values(told))...)
	if w.suite.Repeats {
		told = slices.Compact(told)
	}
	return told
}

// jobOf returns the id of the job that brings a post.
func (w *world) jobOf(post string) string { return schema.SendJobID(post, w.suite.Delivery.Name) }

func (w *world) wantReaders(post string, want ...string) {
	w.t.Helper()
	want = slices.Sorted(slices.Values(append([]string{}, want...)))
	if diff := cmp.Diff(append([]string{}, want...), w.readersOf(post)); diff != "" {
		w.t.Errorf("%s was told to (-want +got):\n%s", post, diff)
	}
}

// readOf matches a read of a document.
func readOf(path string) func(any) bool {
	return func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && slices.ContainsFunc(get.GetDocuments(), func(name string) bool { return strings.HasSuffix(name, "/documents/"+path) })
	}
}

// beside runs jobs in a process, and calls other while the process is held at the first call that held
// matches.
func (w *world) beside(held func(any) bool, other func()) {
	w.t.Helper()
	g := testkit.NewGate(w.t, held)
	p, done := w.open(g.Interceptor()), make(chan error, 1)
	go func() { done <- p.work(w.t.Context()) }()
	g.Await()
	other()
	g.Open()
	w.t.Logf("the process that was held: %v", <-done) // it may have lost the job
}

// brings matches a commit of the delivery: a commit that writes none of our documents.
func brings(req any) bool {
	commit, ok := req.(*pb.CommitRequest)
	if !ok || len(commit.GetWrites()) == 0 {
		return false
	}
	return !slices.ContainsFunc(commit.GetWrites(), func(w *pb.Write) bool {
		name := w.GetUpdate().GetName() + w.GetDelete()
		return slices.ContainsFunc([]string{"/documents/_", "/documents/users/", "/documents/posts/"}, func(of string) bool { return strings.Contains(name, of) })
	})
}
