// Package mailtest is a database whose events a test of package mail handles itself, in processes that it
// starts.
package mailtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/mail"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

// World is a database of a test's own.
type World struct {
	T       *testing.T
	project string
	Opts    schema.Options
	Chunk   int          // documents of a job's page; 0: the default
	opened  atomic.Int64 // processes
	*Process
}

// Process is a system in a process.
type Process struct {
	*social.System
	Client *firestore.Client
}

// New returns an empty world with a process.
func New(t *testing.T, opts schema.Options) *World {
	t.Helper()
	opts.Mail = "new-post"
	w := &World{T: t, project: testkit.ProjectID(t), Opts: opts}
	w.Process = w.Open()
	return w
}

// Open starts another process, whose clock is ahead of the leases of those before. Queries need
// the indexes that are deployed.
func (w *World) Open(interceptors ...wire.Interceptor) *Process {
	w.T.Helper()
	g, err := guard.Parse(relationindex.FirestoreIndexes)
	w.Must(err)
	g.Limits = nil
	client := testkit.Open(w.T, w.project, append(interceptors, wire.Interceptor{Unary: g.Unary, Stream: g.Stream})...)
	ahead := time.Duration(w.opened.Add(1)) * 2 * chunker.DefaultLease
	engine := chunker.New(client, chunker.Options{Chunk: w.Chunk, Wait: testkit.NoWait, Now: func() time.Time { return time.Now().Add(ahead) }})
	s, err := social.New(client, engine, w.Opts)
	w.Must(err)
	return &Process{s, client}
}

// Must ends the test if there is an error.
func (w *World) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// Set writes a document.
func (w *World) Set(path string, data map[string]any) {
	w.T.Helper()
	_, err := w.Client.Doc(path).Set(w.T.Context(), data)
	w.Must(err)
}

// Write writes a post by ada to her followers, and to others.
func (w *World) Write(p string, to ...string) {
	w.T.Helper()
	w.Acquaint("ada", to...)
	w.Set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "kind": "photo", "to": append([]string{}, to...), "createdAt": firestore.ServerTimestamp})
}

// Acquaint has people follow an author, by their edges alone.
func (w *World) Acquaint(author string, followers ...string) {
	w.T.Helper()
	for _, f := range followers {
		w.Set("users/"+f+"/following/"+author, map[string]any{"indexId": schema.IndexID(1)})
	}
}

// Event is the event of a post, in a process.
func (w *World) Event(p *Process, post string) {
	w.T.Helper()
	w.Must(p.Deliveries.Post(w.T.Context(), post))
}

// Work runs all jobs to their end in a process, as far as it gets.
func (p *Process) Work(ctx context.Context) error {
	for {
		open, err := p.Engine.Unfinished(ctx, 10)
		if err != nil || len(open) == 0 {
			return err
		}
		for _, job := range open {
			if err := p.Step(ctx, job, time.Minute); err != nil {
				return err
			}
			if after, err := p.Engine.Get(ctx, job.ID); err == nil && after.Error != nil && !after.State.Finished() {
				return errors.New(after.Error.Message)
			}
		}
	}
}

// Step runs pages of a job for so long; 0: one.
func (p *Process) Step(ctx context.Context, job chunker.Job, long time.Duration) error {
	return p.Engine.Run(ctx, job.ID, chunker.NewBudget(ctx, time.Now(), time.Minute, 0, nil).Yield(long))
}

// Page runs a page of the job of a post's mail, and reports whether there are more.
func (w *World) Page(post string) bool {
	w.T.Helper()
	job, err := w.Engine.Get(w.T.Context(), schema.MailJobID(post))
	w.Must(err)
	w.Must(w.Step(w.T.Context(), job, 1))
	job, err = w.Engine.Get(w.T.Context(), job.ID)
	w.Must(err)
	return !job.State.Finished()
}

// Mailed has a post's events handled by the world's process, twice each.
func (w *World) Mailed(post string) {
	w.T.Helper()
	for range 2 {
		w.Event(w.Process, post)
		w.Event(w.Process, post)
		w.Must(w.Work(w.T.Context()))
	}
}

// Crowd gives an author followers in index documents, as if all had followed.
func (w *World) Crowd(author string, parts ...[]string) {
	w.T.Helper()
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
	testkit.Write(w.T, w.Client, documents)
}

// Readers returns r00, r01, …: those from a number to before another.
func Readers(from, to int) (ids []string) {
	for n := from; n < to; n++ {
		ids = append(ids, fmt.Sprintf("r%03d", n))
	}
	return ids
}

// Mails returns the documents of a post's mail, by id.
func (w *World) Mails(post string) map[string]map[string]any {
	w.T.Helper()
	docs, err := w.Client.Collection("mail").Where("post", "==", post).Documents(w.T.Context()).GetAll()
	w.Must(err)
	all := map[string]map[string]any{}
	for _, doc := range docs {
		all[doc.Ref.ID] = doc.Data()
	}
	return all
}

// readersOf returns whom the mail of a post names, sorted, each as often as it does.
func (w *World) readersOf(post string) []string {
	w.T.Helper()
	named := []string{}
	for id, data := range w.Mails(post) {
		uids, _ := data["bccUids"].([]any)
		if len(uids) == 0 || len(uids) > mail.MaxReaders {
			w.T.Errorf("mail/%s names %d readers", id, len(uids))
		}
		for _, uid := range uids {
			named = append(named, uid.(string))
		}
	}
	slices.Sort(named)
	return named
}

// WantReaders checks which readers the mail of a post names.
func (w *World) WantReaders(post string, want ...string) {
	w.T.Helper()
	want = slices.Sorted(slices.Values(append([]string{}, want...)))
	if diff := cmp.Diff(append([]string{}, want...), w.readersOf(post)); diff != "" {
		w.T.Errorf("mail of %s (-want +got):\n%s", post, diff)
	}
}

// Beside has a process work, and calls other while it is held where held matches.
func (w *World) Beside(held func(any) bool, other func()) {
	w.T.Helper()
	g := testkit.NewGate(w.T, held)
	p, done := w.Open(g.Interceptor()), make(chan error, 1)
	go func() { done <- p.Work(w.T.Context()) }()
	g.Await()
	other()
	g.Open()
	w.T.Logf("the process that was held: %v", <-done) // it may have lost the job
}

// WriteBy writes a post by an author to their followers, and to others.
func (w *World) WriteBy(author, post string, to ...string) {
	w.T.Helper()
	w.Acquaint(author, to...)
	w.Set("posts/"+post, map[string]any{"userId": author, "audience": author, "to": append([]string{}, to...), "createdAt": firestore.ServerTimestamp})
}

// WantOnce checks that the mail of a post names all of must once, and of may nobody twice, and no
// others.
func (w *World) WantOnce(post string, must, may []string) {
	w.T.Helper()
	times := map[string]int{}
	for _, r := range w.readersOf(post) {
		if times[r]++; times[r] == 2 {
			w.T.Errorf("%s: %s has two mails", post, r)
		}
		if !slices.Contains(may, r) {
			w.T.Errorf("%s: %s has mail", post, r)
		}
	}
	for _, r := range must {
		if times[r] == 0 {
			w.T.Errorf("%s: %s has no mail", post, r)
		}
	}
}

// Data returns the fields of a document.
func (w *World) Data(path string) map[string]any {
	w.T.Helper()
	doc, err := w.Client.Doc(path).Get(w.T.Context())
	w.Must(err)
	return doc.Data()
}
