package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// horizon stores a horizon of an hour, and sets the clock such that the first n posts of kept
// are younger.
func (db *database) horizon(n int) {
	db.t.Helper()
	const h = time.Hour
	if _, err := schema.HorizonDocument(db.Client).Set(db.t.Context(), schema.Horizon{Feed: h, Kept: h}.Fields()); err != nil {
		db.t.Fatal(err)
	}
	now := noon.Add(-time.Duration(n/2) * time.Second).Add(time.Hour)
	db.SetNow(func() time.Time { return now })
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
		posts, kept, young, limit int
		fromRelations             int // pages
	}{
		{30, 10, 10, 5, 2},
		{30, 10, 10, 4, 2},  // the third page goes on with pull
		{30, 16, 10, 4, 2},  // relations that may be gone are not relied on
		{30, 10, 10, 10, 1}, // they end with the page
		{30, 10, 10, 50, 0},
		{30, 30, 30, 4, 7}, // the last page asks whether there are older posts
		{9, 9, 10, 50, 0},
		{9, 0, 0, 4, 0},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			t.Parallel()
			db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true})
			db.horizon(test.young)
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

// Without a stored horizon, relations are all there is.
func TestAllPostsHaveRelationsUntilAHorizonIsStored(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true})
	db.write(kept(9, 5))
	if posts, sources := db.sources(4); len(posts) != 5 || sources[len(sources)-1] != feed.SourceRelations {
		t.Errorf("%d posts from %v, want 5 from relations", len(posts), sources)
	}
}

// A client may date posts back to the first time that Firestore stores. If a stored horizon ends
// relations among these, pull continues there, not at the beginning.
func TestPullContinuesAmongPostsOfFirstTimestamp(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true})
	documents := kept(8, 8)
	for path, fields := range documents {
		if !strings.HasPrefix(path, "users/") {
			fields["createdAt"] = time.Time{}
		}
	}
	db.write(documents)
	first := db.page(3, "")
	db.Feed = feed.New(db.Client, schema.Config{NoOwnPosts: true, PostsFilled: true}, db.Keys()) // a minute later
	db.horizon(8)
	rest := db.page(50, first.Cursor)
	if got, want := ids(first)+", "+ids(rest), "p07 p06 p05, p04 p03 p02 p01 p00"; got != want || rest.Source != feed.SourcePull {
		t.Errorf("got %s, from %s; want %s", got, rest.Source, want)
	}
}

// A page of n posts costs 2n reads, and one more a minute for the horizon, also if there is none. Where a feed leaves
// relations, it costs what the query found, and a page of pull.
func TestHorizonCost(t *testing.T) {
	t.Parallel()
	const n = 4
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true})
	db.write(kept(30, 12))
	var p feed.Page
	page := func() { p = db.page(n, p.Cursor) }
	for _, looks := range []int64{1, 0, 0} {
		if counts, _ := db.counts(page); counts.Reads != looks+2*n || counts.Requests != looks+2 {
			t.Errorf("without a horizon: %v, want %d reads in %d requests", counts, looks+2*n, looks+2)
		}
	}
	db.Feed = feed.New(db.metered, schema.Config{NoOwnPosts: true, PostsFilled: true}, nil)
	db.horizon(10)
	p = feed.Page{}
	for i, want := range []wire.Counts{
		{Reads: 1 + 2*n, Requests: 3},
		{Reads: 2 * n, Requests: 2},
		// Two posts of relations; an edge, and the two queries of pull, for the two that are missing
		// and as many again, of which two are of the time of the last one.
		{Reads: 2 + 2 + 1 + (n + 1) + 2, Requests: 2 + 3 + 1},
		{Reads: n + 1 + n, Requests: 2 + 1},
	} {
		if counts, _ := db.counts(page); counts.Reads != want.Reads || counts.Requests != want.Requests || counts.Writes+counts.Deletes != 0 {
			t.Errorf("page %d: %v, want %d reads in %d requests", i, counts, want.Reads, want.Requests)
		}
	}
}

// A reader with less than a page inside the window pays for pull on the first page: a read for
// no relation, one for each follow, and the queries. Another first page within a minute has the
// follows in memory.
func TestFirstPageCostBeyondHorizon(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true})
	db.horizon(0)
	db.write(kept(30, 0))
	if counts, _ := db.counts(func() { db.page(4, "") }); counts.Reads != 1+1+1+(4+1)+4 || counts.Requests != 1+1+1+2+1 {
		t.Errorf("%v, want 12 reads in 6 requests", counts)
	}
	db.SetNow(func() time.Time { return noon.Add(time.Hour + time.Second) })
	if counts, _ := db.counts(func() { db.page(4, "") }); counts.Reads != 1+(4+1)+4 || counts.Requests != 1+2+1 {
		t.Errorf("again: %v, want 10 reads in 4 requests", counts)
	}
}

// A reader who leaves relations on a later page gets their current follows, not those of a minute ago, which
// may be from before the first page.
func TestPullAtTheHorizonHasNewFollows(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true})
	db.horizon(2)
	db.pull(1, "") // keeps that ada follows nobody
	db.SetNow(func() time.Time { return noon.Add(time.Hour - time.Millisecond) })
	db.write(kept(3, 2))
	posts, sources := db.sources(1)
	if diff := cmp.Diff([]string{"p01", "p00", "p02"}, posts); diff != "" || sources[1] != feed.SourceRelations {
		t.Error(diff, sources)
	}
}
