package feed_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/oracle"
)

// A feed is read to its end, in pages of any sizes, while its documents change between the pages and within them. For every
// source, the pages have each post that the reader may read all the time, once; no post that they may not read; the newest
// first, in an order that stays; and cursors that no other reader and no other source goes on from.
func TestPagesOfEverySource(t *testing.T) {
	t.Parallel()
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, f)
			calm := w.read(t, plan{Reader: "ada", Limits: []int{50}})
			if w.order = calm.order; len(w.order) < 15 {
				t.Fatalf("ada reads %v: the property shows little", w.order)
			}
			for n := 0; n < f.plans && !t.Failed(); n++ {
				w.read(t, plans.Example(n))
			}
		})
	}
}

// plan is how a feed is read, and what happens meanwhile.
type plan struct {
	Reader  string
	Limits  []int // of the pages, in turn
	Again   bool  // each page is read twice
	Changes []change
}

// change is something that happens before a page, or before one of its requests.
type change struct {
	Page, Request int
	What          string
	Post, Kind    int
	Slot          int
}

var plans = rapid.Custom(func(t *rapid.T) plan {
	whats := []string{"text", "hide", "delete", "kind", "time", "new", "new", "follow", "block", "reader hides", "closed", "later", "expire"}
	change := rapid.Custom(func(t *rapid.T) change {
		return change{
			rapid.IntRange(0, 6).Draw(t, "page"), rapid.IntRange(0, 4).Draw(t, "request"), rapid.SampledFrom(whats).Draw(t, "what"),
			rapid.IntRange(0, 2*len(kinds)-1).Draw(t, "post"), rapid.IntRange(0, len(kinds)-1).Draw(t, "kind"), rapid.IntRange(0, slots-1).Draw(t, "slot"),
		}
	})
	return plan{
		rapid.SampledFrom([]string{"ada", "ada", "ada", "zoe", "nobody"}).Draw(t, "reader"),
		rapid.SliceOfN(rapid.IntRange(1, 9), 1, 4).Draw(t, "limits"), rapid.Bool().Draw(t, "again"), rapid.SliceOfN(change, 0, 6).Draw(t, "changes"),
	}
})

// state is what the reader may read at a moment, and all documents of clients.
type state struct {
	posts map[string]oracle.Post
	docs  map[string]map[string]any
}

// reading is a feed while it is read.
type reading struct {
	*world
	plan
	t       testing.TB
	feed    *feed.Feed
	past    *oracle.History
	docs    map[string]map[string]any
	expired map[string]map[string]any // relations that are gone
	clock   time.Time
	states  []state
	seen    map[string]bool
	order   []string
	last    feed.Post
	source  string
	err     error
}

func (w *world) read(t testing.TB, p plan) *reading {
	t.Helper()
	r := &reading{
		world: w, plan: p, t: t, past: w.past.Clone(), docs: maps.Clone(w.docs), expired: map[string]map[string]any{}, clock: w.start, seen: map[string]bool{}, source: w.source,
	}
	defer r.restore()
	r.feed = feed.New(w.feed, w.cfg, w.keys)
	w.keys = r.feed.Keys()
	r.feed.SetNow(func() time.Time { return r.clock })
	r.note()
	for n, cursor := 0, ""; ; n++ {
		due := r.due(n)
		if len(due) > 0 && due[0].Request == 0 {
			r.change(due)
			due = nil
		}
		first := len(r.states) - 1
		limit := p.Limits[n%len(p.Limits)]
		page := r.page(n, limit, cursor, due)
		r.judge(page, limit, r.states[first:])
		if r.err != nil {
			t.Fatal(r.err)
		}
		if n == 0 && len(r.states) == 1 {
			r.wantNews(page)
		}
		if n == 0 && page.Cursor != "" {
			r.wantRefused(page.Cursor)
		}
		if cursor = page.Cursor; cursor == "" {
			break
		}
		if n > 300 {
			r.failf("no end")
			break
		}
	}
	for id := range r.states[0].posts {
		if r.stays(id) && !r.seen[id] {
			r.failf("%s is missing", id)
		}
	}
	return r
}

func (r *reading) failf(format string, args ...any) {
	r.t.Helper()
	r.t.Errorf("%s reads by %+v, and has read %v: %s", r.Reader, r.plan, r.order, fmt.Sprintf(format, args...))
}

// due returns the changes that come with the n-th page.
func (p plan) due(n int) (due []change) {
	for _, c := range p.Changes {
		if c.Page == n {
			due = append(due, c)
		}
	}
	return due
}

func (r *reading) change(due []change) {
	for _, c := range due {
		r.err = errors.Join(r.err, r.make(c))
	}
	r.note()
}

// page reads the n-th page, and makes changes between its requests.
func (r *reading) page(n, limit int, cursor string, due []change) feed.Page {
	r.t.Helper()
	if len(due) > 0 {
		r.pause.mu.Lock()
		r.pause.left, r.pause.do = due[0].Request, func() { r.change(due) }
		r.pause.mu.Unlock()
	}
	page, err := r.get(r.Reader, limit, cursor)
	if err != nil {
		r.t.Fatalf("%+v: page %d: %v", r.plan, n, err)
	}
	if r.pause.do != nil { // the page made fewer requests
		r.pause.do = nil
		r.change(due)
	}
	if r.Again && len(due) == 0 {
		if again, err := r.get(r.Reader, limit, cursor); err != nil || ids(again) != ids(page) || again.Cursor != page.Cursor {
			r.failf("page %d has %s, and again %s, %v", n, ids(page), ids(again), err)
		}
	}
	return page
}

// get reads a page. Page goes on from a cursor of any source of a feed.
func (r *reading) get(reader string, limit int, cursor string) (feed.Page, error) {
	switch {
	case r.form.source == feed.SourceSlice:
		return r.feed.Slice(r.t.Context(), reader, topic, limit, cursor)
	case cursor != "" || r.form.source == feed.SourceRelations:
		return r.feed.Page(r.t.Context(), reader, limit, cursor)
	case r.form.source == feed.SourcePull:
		return r.feed.Pull(r.t.Context(), reader, limit, cursor)
	default:
		return r.feed.Timeline(r.t.Context(), reader, limit, cursor)
	}
}

// wantRefused goes on from a cursor as another reader, and from other sources.
func (r *reading) wantRefused(cursor string) {
	r.t.Helper()
	refused := func(as string, accepts bool, _ feed.Page, err error) {
		if accepts != (err == nil) || err != nil && !errors.Is(err, feed.ErrCursor) {
			r.failf("a cursor of %s goes on as %s: %v", r.source, as, err)
		}
	}
	refuse := func(as, source, reader, ref string) {
		var p feed.Page
		var err error
		switch source {
		case feed.SourceSlice:
			p, err = r.feed.Slice(r.t.Context(), reader, ref, 1, cursor)
		case feed.SourcePull:
			p, err = r.feed.Pull(r.t.Context(), reader, 1, cursor)
		case feed.SourceTimeline:
			p, err = r.feed.Timeline(r.t.Context(), reader, 1, cursor)
		default:
			p, err = r.feed.Page(r.t.Context(), reader, 1, cursor)
		}
		accepts := reader == r.Reader && source == r.source && ref == topic || reader == r.Reader && source == feed.SourceRelations && r.source != feed.SourceSlice
		refused(as, accepts, p, err)
	}
	for _, source := range []string{feed.SourceRelations, feed.SourcePull, feed.SourceTimeline, feed.SourceSlice} {
		refuse(source, source, r.Reader, topic)
		refuse("another reader's "+source, source, r.Reader+"x", topic)
	}
	refuse("another slice", feed.SourceSlice, r.Reader, topic+"x")
}

// wantNews asks for news of the first page.
func (r *reading) wantNews(page feed.Page) {
	r.t.Helper()
	ref, source := "", r.form.source
	switch source {
	case feed.SourceSlice:
		ref, source = topic, ""
	case feed.SourceRelations:
		source = ""
	}
	since := map[time.Time]bool{}
	if len(page.Posts) > 0 {
		newest := page.Posts[0].CreatedAt
		since = map[time.Time]bool{newest.Add(-time.Microsecond): true, newest: false, newest.Add(time.Hour): false}
	} else if page.Cursor == "" {
		since[noon.AddDate(-5, 0, 0)] = false
	}
	for at, want := range since {
		if news, err := r.feed.News(r.t.Context(), r.Reader, ref, source, at); err != nil || news.News != want {
			r.failf("news since %v: %v, %v; want %v", at, news.News, err, want)
		}
	}
}

// judge compares a page with what the reader might read while it was read.
func (r *reading) judge(page feed.Page, limit int, during []state) {
	r.t.Helper()
	if page.Posts == nil || len(page.Posts) > limit || page.Rounds > 5 || len(page.Posts) < limit && page.Cursor != "" && page.Rounds < 5 {
		r.failf("a page of %d has %d posts after %d rounds, cursor %q", limit, len(page.Posts), page.Rounds, page.Cursor)
	}
	if r.source == feed.SourceRelations && r.cfg.Horizon > 0 && page.Source == feed.SourcePull {
		r.source = feed.SourcePull
	}
	if page.Source != r.source {
		r.failf("a page is of %s, after pages of %s", page.Source, r.source)
	}
	for _, p := range page.Posts {
		if r.seen[p.ID] && !r.moved(p.ID) {
			r.failf("%s comes twice", p.ID)
		}
		if !r.readable(p.ID, during) {
			r.failf("%s is there: %v", p.ID, r.docs["posts/"+p.ID])
		}
		if !slices.ContainsFunc(during, func(s state) bool { return s.docs["posts/"+p.ID]["text"] == p.Data["text"] }) {
			r.failf("%s has the text %v", p.ID, p.Data["text"])
		}
		if !slices.ContainsFunc(r.states, func(s state) bool {
			at, _ := s.docs["posts/"+p.ID]["createdAt"].(time.Time)
			return at.Equal(p.CreatedAt)
		}) {
			r.failf("%s is of %v", p.ID, p.CreatedAt)
		}
		if r.last.ID != "" && !r.follows(r.last, p) {
			r.failf("%s of %v comes after %s of %v", p.ID, p.CreatedAt, r.last.ID, r.last.CreatedAt)
		}
		r.seen[p.ID], r.order, r.last = true, append(r.order, p.ID), p
	}
}

// follows reports whether q may come after p. Of a time, the higher id is first, or the relation with the higher id. A bucket
// has its own order of these, and pull goes on in another order than relations.
func (r *reading) follows(p, q feed.Post) bool {
	if !p.CreatedAt.Equal(q.CreatedAt) || r.cfg.Horizon > 0 || r.cfg.Timeline() == schema.LayoutBuckets {
		return !q.CreatedAt.After(p.CreatedAt)
	}
	if r.form.source != feed.SourceRelations {
		return p.ID > q.ID
	}
	first, then := slices.Index(r.world.order, p.ID), slices.Index(r.world.order, q.ID)
	return first < then || first < 0 || then < 0 || r.Reader != "ada" || !r.stays(p.ID) || !r.stays(q.ID)
}

// readable reports whether a reader could read a post during a page. Pull has the follows of a minute ago.
func (r *reading) readable(id string, during []state) bool {
	for _, s := range during {
		if p, ok := s.posts[id]; ok && !p.Hidden {
			return true
		}
	}
	return r.source == feed.SourcePull && slices.ContainsFunc(r.states, func(s state) bool {
		_, ok := s.posts[id]
		return ok && slices.ContainsFunc(during, func(now state) bool { return reflect.DeepEqual(now.docs["posts/"+id], s.docs["posts/"+id]) })
	})
}

// moved reports whether a post has had two times.
func (r *reading) moved(id string) bool {
	times := map[any]bool{}
	for _, s := range r.states {
		if at := s.docs["posts/"+id]["createdAt"]; at != nil {
			times[at] = true
		}
	}
	return len(times) > 1
}

// stays reports whether the reader must read a post in all states, and only its text has changed.
func (r *reading) stays(id string) bool {
	first := maps.Clone(r.states[0].docs["posts/"+id])
	return !slices.ContainsFunc(r.states, func(s state) bool {
		doc := maps.Clone(s.docs["posts/"+id])
		if doc != nil {
			doc["text"] = first["text"]
		}
		p := s.posts[id]
		return !p.Must || p.Hidden || !reflect.DeepEqual(doc, first)
	})
}
