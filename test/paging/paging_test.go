package paging

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/identity/identitytest"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/testkit"
)

const (
	readers   = 20
	authors   = 5
	before    = 120 // posts
	meanwhile = 500 // posts
	pageSize  = 20
	project   = "demo-paging"
)

var google *identitytest.Google

func TestMain(m *testing.M) {
	testkit.Main(m, func(dir string) (err error) {
		google, err = identitytest.Start(dir)
		return err
	})
}

func TestPagesHaveNoGapsAndNoRepeatsWhilePostsArrive(t *testing.T) {
	p := testkit.Functions(t, project, config.Functions{})
	feed := httptest.NewServer(p.Handlers().HTTP("Feed"))
	defer feed.Close()
	w := &writer{Project: p, t: t}
	w.follow()
	for i := range before {
		w.post(fmt.Sprintf("before%03d", i), base.Add(time.Duration(i/3)*time.Second)) // three at a time
	}
	w.settle()
	want := w.written() // the model

	pages := make(chan struct{}) // gets one for each page that is read
	reading, arriving := errgroup.Group{}, errgroup.Group{}
	var seen atomic.Int64
	for i := range readers {
		for _, way := range []way{throughFeed(feed.URL, readerID(i)), directly(t, readerID(i))} {
			reading.Go(func() error {
				others, err := read(t.Context(), way, want, pages)
				if err != nil {
					return fmt.Errorf("%s of %s: %w", way.name, readerID(i), err)
				}
				seen.Add(int64(others))
				return nil
			})
		}
	}
	arriving.Go(func() error {
		n := 0
		for range pages { // two posts for each: they come while readers are on their way
			for range 2 {
				if n < meanwhile {
					w.arrive(n)
					n++
				}
			}
		}
		if n < meanwhile {
			return fmt.Errorf("%d posts came while readers were reading, want %d", n, meanwhile)
		}
		return nil
	})
	err := reading.Wait()
	close(pages)
	if err := errors.Join(err, arriving.Wait()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d readers read %d posts in two ways while %d arrived; %d times one of those was seen", readers, before, meanwhile, seen.Load())
	if seen.Load() == 0 {
		t.Error("nobody saw a post that came meanwhile: the test shows nothing")
	}

	// When all is quiet, everything is there.
	w.settle()
	want = w.written()
	for _, way := range []way{throughFeed(feed.URL, readerID(0)), directly(t, readerID(0))} {
		if others, err := read(t.Context(), way, want, nil); err != nil || others != 0 {
			t.Errorf("%s in the end: %d posts too many, %v", way.name, others, err)
		}
	}
}

// base is the time of the first posts.
var base = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func readerID(i int) string { return fmt.Sprintf("reader%02d", i) }

// writer is the authors, and the ones who follow them: every reader all of them.
type writer struct {
	*local.Project
	t  *testing.T
	mu sync.Mutex
	n  int
	at map[string]time.Time // of each post
}

func (w *writer) follow() {
	w.t.Helper()
	for a := range authors {
		for i := range readers {
			path := fmt.Sprintf("users/author%d/followers/%s", a, readerID(i))
			if _, err := w.Client.Doc(path).Set(w.t.Context(), map[string]any{"createdAt": base}); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	w.settle()
}

// arrive writes a post that comes meanwhile.
func (w *writer) arrive(n int) {
	at := time.Now()
	if n%3 > 0 { // in between, at the times of others
		at = base.Add(time.Duration(n%(before/3)) * time.Second)
	}
	w.post(fmt.Sprintf("meanwhile%03d", n), at)
}

// post writes a post of the next author.
func (w *writer) post(id string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at = at.Truncate(time.Microsecond)
	w.n++
	if w.at == nil {
		w.at = map[string]time.Time{}
	}
	w.at[id] = at
	fields := map[string]any{"userId": fmt.Sprintf("author%d", w.n%authors), "createdAt": at, "text": id}
	if _, err := w.Client.Doc("posts/"+id).Set(w.t.Context(), fields); err != nil {
		w.t.Error(err)
	}
}

// written are the times of all posts so far.
func (w *writer) written() map[string]time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make(map[string]time.Time, len(w.at))
	for id, at := range w.at {
		all[id] = at
	}
	return all
}

// settle waits until the index knows what was written.
func (w *writer) settle() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	if err := w.Idle(ctx); err != nil {
		w.t.Fatal(err)
	}
}
