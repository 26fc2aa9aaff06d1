package feed_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/schema"
)

// horizon stores a horizon.
func (db *database) horizon(h int) {
	db.t.Helper()
	if _, err := schema.HorizonDocument(db.Client).Set(db.t.Context(), schema.Horizon{Feed: h, Kept: h}); err != nil {
		db.t.Fatal(err)
	}
}

// kept returns n posts for bob's followers, p0 the newest, two of each time, of which the
// newest have relations; and ada's edge.
func kept(n, relations int) map[string]map[string]any { return keptAs("p", n, relations) }

// keptAs is kept for posts whose ids begin with prefix.
func keptAs(prefix string, n, relations int) map[string]map[string]any {
	documents := edges("bob")
	for i := range n {
		id, at := fmt.Sprintf("%s%02d", prefix, i), noon.Add(-time.Duration(i/2)*time.Second)
		documents["posts/"+id] = map[string]any{"userId": "bob", "audience": "bob", "createdAt": at}
		if i < relations {
			relation := relationOf(id, "bob", "00001", at)
			relation["audience"] = "bob"
			documents["_relations/"+id+"_00001"] = relation
		}
	}
	return documents
}

// sources reads ada's feed to its end, and returns the posts and each page's source.
func (db *database) sources(limit int) (posts, sources []string) {
	db.t.Helper()
	for cursor, n := "", 0; n < 1000; n++ {
		p := db.page(limit, cursor)
		posts, sources = append(posts, strings.Fields(ids(p))...), append(sources, p.Source)
		if cursor = p.Cursor; cursor == "" {
			return posts, sources
		}
	}
	db.t.Fatal("the feed has no end")
	return nil, nil
}

func TestPagesGoOnWithPullAtTheHorizon(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		posts, kept, horizon, limit int
		fromRelations               int // pages
	}{
		{30, 10, 10, 4, 2},
		{30, 11, 10, 4, 2},
		{30, 10, 10, 10, 0}, // a page as long as the horizon may lack posts
		{30, 10, 10, 50, 0},
		{30, 30, 0, 4, 8}, // no horizon
		{9, 9, 10, 4, 3},  // nothing is evicted
		{9, 9, 10, 50, 1},
		{10, 10, 10, 50, 0}, // nothing is, but nobody can say
		{30, 1, 1, 1, 0},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			t.Parallel()
			db := newDatabaseFor(t, feed.Options{Horizon: true, PostsFilled: true})
			db.horizon(test.horizon)
			db.write(kept(test.posts, test.kept))
			var want []string
			for i := 0; i < test.posts; i += 2 { // of those of a time, the higher id is first
				if i+1 < test.posts {
					want = append(want, fmt.Sprintf("p%02d", i+1))
				}
				want = append(want, fmt.Sprintf("p%02d", i))
			}
			posts, sources := db.sources(test.limit)
			if diff := cmp.Diff(want, posts); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for n, source := range sources {
				if (source == feed.SourceRelations) != (n < test.fromRelations) {
					t.Errorf("page %d is from %s: want %d from relations", n, source, test.fromRelations)
				}
			}
		})
	}
}

// A client may date posts back to the first time that Firestore stores. Where relations end
// among these, because there are new posts, pull goes on there and not from the beginning.
func TestPullGoesOnAmongPostsOfTheFirstTime(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, feed.Options{Horizon: true, PostsFilled: true})
	db.horizon(10)
	documents := kept(8, 8)
	for path, fields := range documents {
		if !strings.HasPrefix(path, "users/") {
			fields["createdAt"] = time.Time{}
		}
	}
	db.write(documents)
	first := db.page(3, "")
	db.write(keptAs("new", 3, 3))
	rest := db.page(50, first.Cursor)
	if got, want := ids(first)+", "+ids(rest), "p07 p06 p05, p04 p03 p02 p01 p00"; got != want || rest.Source != feed.SourcePull {
		t.Errorf("got %s, from %s; want %s", got, rest.Source, want)
	}
}

// A page of n posts costs 2n reads, and with a horizon one more, and one a minute. Where a
// feed leaves relations, it costs what the query found, and a page of pull.
func TestWhatTheHorizonCosts(t *testing.T) {
	t.Parallel()
	const n = 4
	for _, used := range []bool{false, true} {
		db := newDatabaseFor(t, feed.Options{Horizon: used, PostsFilled: true})
		db.write(kept(30, 12))
		var p feed.Page
		page := func() { p = db.page(n, p.Cursor) }
		if !used {
			for range 3 {
				if counts, _ := db.counts(page); counts.Reads != 2*n || counts.Requests != 2 {
					t.Errorf("without a horizon: %v, want %d reads in 2 requests", counts, 2*n)
				}
			}
			continue
		}
		if counts, _ := db.counts(page); counts.Reads != 1+2*n || counts.Requests != 3 {
			t.Errorf("no horizon is stored: %v, want %d reads in 3 requests", counts, 1+2*n)
		}
		db.horizon(12)
		db.Feed = feed.New(db.metered, feed.Options{Horizon: true, PostsFilled: true})
		p = feed.Page{}
		for i, want := range []wire.Counts{
			{Reads: 1 + 2*n + 1, Requests: 4},
			{Reads: 2*n + 1, Requests: 3},
			// The query, the count, an edge, and pull, twice: of the first four posts, two are of the time of
			// the last ones of relations, and have been returned. No post names the reader: that query is made once.
			{Reads: n + 1 + 1 + (n + 1 + 2) + (2*n + 2), Requests: 2 + 1 + 3 + 2},
			{Reads: n + 1 + n, Requests: 2 + 1},
		} {
			if counts, _ := db.counts(page); counts.Reads != want.Reads || counts.Requests != want.Requests || counts.Writes+counts.Deletes != 0 {
				t.Errorf("page %d: %v, want %d reads in %d requests", i, counts, want.Reads, want.Requests)
			}
		}
	}
}

// Posts arrive and others lose their relations while a page is read: after its query, after
// the count, and between the queries of pull.
func TestAPageBesideNewPostsAndTheHorizon(t *testing.T) {
	t.Parallel()
	const horizon, limit, posts = 12, 5, 40
	counting := func(req any) bool { _, ok := req.(*pb.RunAggregationQueryRequest); return ok }
	gettingPosts := func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && strings.Contains(get.GetDocuments()[0], "/posts/")
	}
	after := func(n int32, match func(any) bool) func(any) bool { // the n-th call
		var calls atomic.Int32
		return func(req any) bool { return match(req) && calls.Add(1) == n }
	}
	for name, b := range map[string]*between{
		"after the first query of relations":  newBetween(after(1, asks("_relations", "")), after(1, counting)),
		"after the second query of relations": newBetween(after(2, asks("_relations", "")), after(2, counting)),
		"after the first count":               newBetween(after(1, counting), after(1, gettingPosts)),
		"after the second count":              newBetween(after(2, counting), after(2, gettingPosts)),
		"before pull":                         newBetween(after(3, counting), after(1, asks("following", ""))),
		"between two queries of pull":         newBetween(after(1, asks("posts", `"u0040"`)), after(1, asks("posts", `"bob"`))),
		"… the other way":                     newBetween(after(1, asks("posts", `"bob"`)), after(1, asks("posts", `"u0040"`))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newDatabaseFor(t, feed.Options{Horizon: true, PostsFilled: true}, b.interceptor())
			db.horizon(horizon)
			db.write(kept(posts, horizon))
			db.write(edges(numbered(41)...))
			b.do = func() {
				documents := map[string]map[string]any{}
				for i := range 200 {
					id, at := fmt.Sprintf("n%03d", i), noon.Add(time.Duration(i-20)*300*time.Millisecond)
					documents["posts/"+id] = map[string]any{"userId": "bob", "audience": "bob", "createdAt": at}
					if i >= 200-horizon {
						documents["_relations/"+id+"_00001"] = relationOf(id, "bob", "00001", at)
					}
				}
				db.write(documents)
				for i := range horizon { // evicted
					if _, err := db.Doc(fmt.Sprintf("_relations/p%02d_00001", i)).Delete(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
			read, _ := db.sources(limit)
			select {
			case <-b.done:
			default:
				t.Fatal("no posts arrived")
			}
			seen, old := map[string]int{}, 0
			for _, id := range read {
				if seen[id]++; seen[id] > 1 {
					t.Errorf("%s came %d times", id, seen[id])
				}
				if id[0] == 'p' {
					old++
				}
			}
			if old != posts {
				t.Errorf("%d of %d posts that were there all the time were seen: %q", old, posts, read)
			}
		})
	}
}

// A reader who is leaving relations gets whom they follow now, not as of a minute ago.
func TestPullAtTheHorizonHasNewFollows(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, feed.Options{Horizon: true})
	db.horizon(1)
	db.pull(1, "") // keeps that ada follows nobody
	db.write(kept(3, 1))
	posts, _ := db.sources(1)
	if diff := cmp.Diff([]string{"p01", "p00", "p02"}, posts); diff != "" {
		t.Error(diff)
	}
}
