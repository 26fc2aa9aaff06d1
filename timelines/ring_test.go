package timelines_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// of writes a post of an author, made at a time.
func (w *world) of(author, p string, at time.Time) {
	w.t.Helper()
	w.set("posts/"+p, map[string]any{"userId": author, "audience": author, "hidden": false, "createdAt": at})
}

// followsOf begins or ends a follow of any author, and waits for what comes of it.
func (w *world) followsOf(author, reader string, follows bool) {
	w.t.Helper()
	if path := "users/" + author + "/followers/" + reader; follows {
		w.set(path, map[string]any{"createdAt": firestore.ServerTimestamp})
	} else {
		w.remove(path)
	}
	w.must(w.graph.Follow(w.t.Context(), author, reader))
}

// followsSince begins a follow of any author that was made at a time, and waits for what comes of it.
func (w *world) followsSince(author, reader string, at time.Time) {
	w.t.Helper()
	w.set("users/"+author+"/followers/"+reader, map[string]any{"createdAt": at})
	w.must(w.graph.Follow(w.t.Context(), author, reader))
}

// wantNoProblem checks all timelines.
func (w *world) wantNoProblem() {
	w.t.Helper()
	_, err := entries.Check(w.t.Context(), w.d, entries.Options{Report: func(p entries.Problem) { w.t.Error(p) }})
	w.must(err)
}

// A full ring keeps its newest posts when its reader follows an author of old ones, and what an
// unfollow takes leaves the others.
func TestBackfillEvictsNoNewerEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(5, 20), Backfill: 20})
	now := time.Now().Add(-time.Minute)
	for n := range 30 {
		w.of("old", fmt.Sprintf("o%02d", n), now.AddDate(-1, 0, n))
	}
	w.followsSince("star", "r1", now.Add(-time.Hour))
	var stars []string
	for n := range 22 {
		p := fmt.Sprintf("s%02d", n)
		w.of("star", p, now.Add(time.Duration(n-22)*time.Minute))
		w.must(w.d.Post(t.Context(), p))
		stars = append([]string{p}, stars...)
	}
	w.followsOf("old", "r1", true)
	entries, err := w.newest("r1")
	w.must(err)
	if len(entries) < 20 || len(entries) > 22 {
		t.Errorf("the ring shows %d entries, want 20 to 22", len(entries))
	}
	w.wantFeed("r1", stars[:len(entries)]...)
	w.wantNoProblem()
	w.followsOf("old", "r1", false)
	w.wantFeed("r1", stars[:len(entries)]...)
	w.followsOf("old", "r1", true)
	w.followsOf("star", "r1", false)
	w.wantFeed("r1")
	w.wantNoProblem()
	w.followsOf("old", "r1", false)
	w.followsOf("old", "r1", true) // there is room now
	var olds []string
	for n := 29; n >= 10; n-- {
		olds = append(olds, fmt.Sprintf("o%02d", n))
	}
	w.wantFeed("r1", olds...)
	w.wantNoProblem()
}

// A late post gets its place among the newest, even if a backfill has meanwhile added so many older
// posts that the ring has turned.
func TestLatePostFindsItsPlaceAfterBackfill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(2, 4), Backfill: 8})
	now := time.Now().Add(-time.Minute)
	w.joins("r1")
	w.of("ada", "late", now)
	for n := range 8 {
		w.of("old", fmt.Sprint("o", n), now.AddDate(-1, 0, n))
	}
	w.followsOf("old", "r1", true)
	for n := range 3 {
		w.of("ada", fmt.Sprint("p", n), now.Add(time.Duration(n+1)*time.Second))
		w.must(w.d.Post(t.Context(), fmt.Sprint("p", n)))
	}
	w.must(w.d.Post(t.Context(), "late"))
	w.must(w.d.Post(t.Context(), "late"))
	entries, err := w.newest("r1")
	w.must(err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Post)
	}
	if all := strings.Join(got, " "); !strings.HasPrefix(all, "p2 p1 p0 late") {
		t.Errorf("the ring has %s", all)
	}
	w.wantSound("r1")
	w.wantNoProblem()
}
