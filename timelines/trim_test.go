package timelines_test

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// trimming returns the name of a post whose item takes those beyond the cap with it.
func trimming(reader string, not ...string) string {
	for n := 0; ; n++ {
		h := fnv.New32a()
		p := fmt.Sprint("due", n)
		if _, _ = h.Write([]byte(reader + "/" + p)); h.Sum32()%25 == 0 && !strings.Contains(strings.Join(not, " "), p) {
			return p
		}
	}
}

// itemsOf gives a reader n items, a minute apart, of which the last is a minute old.
func (w *world) itemsOf(reader string, n int) {
	w.t.Helper()
	documents := map[string]map[string]any{}
	now := time.Now()
	for i := range n {
		at, p := now.Add(time.Duration(i-n)*time.Minute), fmt.Sprintf("p%03d", i)
		documents["posts/"+p] = map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": at}
		documents["users/"+reader+"/timeline/"+p] = map[string]any{
			"post": p, "author": "ada", "audience": "ada", "at": at.UnixMicro(), "posts": []string{p}, "accounts": []string{"ada"},
		}
	}
	testkit.Write(w.t, w.client, documents)
}

// isTrim matches the query for the items beyond a cap.
func isTrim(req any) bool {
	query, ok := req.(*pb.RunQueryRequest)
	orders := query.GetStructuredQuery().GetOrderBy()
	return ok && len(orders) > 0 && orders[0].GetField().GetFieldPath() == "at" && orders[0].GetDirection() == pb.StructuredQuery_ASCENDING
}

// Two trims at once, of an event and its duplicate or of two posts, leave no fewer than the cap.
func TestRaceTwoTrims(t *testing.T) {
	t.Parallel()
	const limit, there = 100, 125
	first := trimming("r1")
	for name, other := range map[string]string{"a duplicate": first, "another post": trimming("r1", first)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, timelines.Options{Layout: layout.Items{Cap: limit}})
			w.joins("r1")
			w.itemsOf("r1", there)
			w.write(first)
			if other != first {
				w.write(other)
			}
			g := testkit.NewGate(t, isTrim)
			w.must(w.beside(g, w.event(w.open(g.Interceptor()), first), func() { w.must(w.event(w.process, other)()) }))
			docs, err := w.client.Collection("users/r1/timeline").Documents(t.Context()).GetAll()
			w.must(err)
			if len(docs) < limit || len(docs) > limit+2 {
				t.Errorf("%d items are left of %d, with a cap of %d", len(docs), there, limit)
			}
		})
	}
}

// The duplicate of an event trims nothing: the first event has already trimmed to the cap.
func TestDuplicateEventTrimsNothing(t *testing.T) {
	t.Parallel()
	const limit, there = 10, 15
	w := newWorld(t, timelines.Options{Layout: layout.Items{Cap: limit}})
	w.joins("r1")
	w.itemsOf("r1", there)
	p := trimming("r1")
	w.write(p)
	// A duplicate that has looked for entries before its twin wrote them.
	g := testkit.NewGate(t, readOf("posts/"+p))
	var left int
	w.must(w.beside(g, w.event(w.open(g.Interceptor()), p), func() {
		w.must(w.event(w.process, p)())
		docs, err := w.client.Collection("users/r1/timeline").Documents(t.Context()).GetAll()
		w.must(err)
		left = len(docs)
	}))
	docs, err := w.client.Collection("users/r1/timeline").Documents(t.Context()).GetAll()
	w.must(err)
	if len(docs) != left {
		t.Errorf("%d items are left after the duplicate, %d before", len(docs), left)
	}
}

// A backfill of posts that are older than all that a cap keeps brings none of them.
func TestBackfillBeyondCapAddsNothing(t *testing.T) {
	t.Parallel()
	const limit = 10
	w := newWorld(t, timelines.Options{Layout: layout.Items{Cap: limit}, Backfill: 10})
	w.joins("r1")
	w.itemsOf("r1", limit+3)
	for n := range 10 {
		w.of("old", fmt.Sprint("o", n), time.Now().AddDate(-1, 0, n))
	}
	w.followsOf("old", "r1", true)
	docs, err := w.client.Collection("users/r1/timeline").Documents(t.Context()).GetAll()
	w.must(err)
	for _, doc := range docs {
		if strings.HasPrefix(doc.Ref.ID, "o") {
			t.Errorf("%s came, and is beyond the cap", doc.Ref.ID)
		}
	}
	if len(docs) < limit {
		t.Errorf("%d items are left", len(docs))
	}
}
