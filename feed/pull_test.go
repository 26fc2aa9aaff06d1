package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
)

// pull reads a page of ada's without relations.
func (db *database) pull(limit int, cursor string) feed.Page {
	db.t.Helper()
	p, err := db.Pull(db.t.Context(), "ada", limit, cursor)
	if err != nil {
		db.t.Fatal(err)
	}
	return p
}

// wholePull reads ada's feed to its end, and returns the pages as texts: "p3 p2".
func (db *database) wholePull(limit int) (pages []string) {
	db.t.Helper()
	for cursor, n := "", 0; n < 1000; n++ {
		p := db.pull(limit, cursor)
		pages = append(pages, ids(p))
		if cursor = p.Cursor; cursor == "" {
			return pages
		}
	}
	db.t.Fatal("the feed has no end")
	return nil
}

// edges are those of ada's follows.
func edges(followed ...string) map[string]map[string]any {
	documents := map[string]map[string]any{}
	for _, u := range followed {
		documents["users/ada/following/"+u] = map[string]any{"createdAt": noon, "indexId": "00001"}
	}
	return documents
}

// numbered returns n ids.
func numbered(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("u%04d", i))
	}
	return ids
}

// A server wrote posts so large that not even one from each query fits in memory at once.
func TestPullPassesLargePosts(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	var authors []string
	for i := range 31 { // two queries of audiences, and two of authors
		authors = append(authors, fmt.Sprintf("a%02d", i))
	}
	documents := edges(authors...)
	large := strings.Repeat("x", 900_000)
	for _, a := range []string{"a00", "a30"} {
		documents["posts/large-"+a] = map[string]any{"userId": a, "audience": a, "hidden": large, "createdAt": noon.Add(time.Second)}
		documents["posts/small-"+a] = map[string]any{"userId": a, "audience": a, "hidden": false, "createdAt": noon}
	}
	documents["posts/large-eve"] = map[string]any{"userId": "eve", "audience": "", "to": []string{"ada"}, "hidden": large, "createdAt": noon.Add(time.Second)}
	db.write(documents)
	var got []string
	for p := (feed.Page{}); len(got) == 0 || p.Cursor != ""; {
		p = db.pull(20, p.Cursor)
		got = append(got, ids(p))
	}
	if want := "large-eve large-a30 large-a00 small-a30 small-a00"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

// Posts that nobody may read are still read: many of them leave a page empty, with
// a cursor. But the posts of others are not read again for each of them.
func TestPullPassesHiddenPosts(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true})
	documents := edges("bob")
	for i := range 30 {
		documents[fmt.Sprintf("posts/b%02d", i)] = map[string]any{"userId": "bob", "audience": "bob", "hidden": false, "createdAt": noon.Add(-time.Duration(i) * time.Second)}
	}
	for i := range 210 {
		documents[fmt.Sprintf("posts/h%03d", i)] = map[string]any{"userId": "eve", "audience": "", "hidden": true, "to": []string{"ada"}, "createdAt": noon.Add(time.Duration(i+1) * time.Second)}
	}
	db.write(documents)
	var first feed.Page
	counts, _ := db.counts(func() { first = db.pull(20, "") })
	if want := int64(1 + 20 + 210); counts.Reads != want { // the edge, bob's posts once, the others
		t.Errorf("it took %v, want %d reads", counts, want)
	}
	if len(first.Posts) != 0 || first.Cursor == "" {
		t.Errorf("the first page is %q, cursor %q", ids(first), first.Cursor)
	}
	if second := db.pull(20, first.Cursor); len(second.Posts) != 20 || second.Posts[0].ID != "b00" {
		t.Errorf("the second page is %q", ids(second))
	}
}

// The blocks of authors who name the reader are read once a page.
func TestPullReadsEachBlockOnce(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true})
	documents := edges("bob")
	documents["users/ada/blocked/troll"] = map[string]any{"createdAt": noon}
	for i := range 20 {
		author := []string{"bob", "eve", "troll", "zoe"}[i%4]
		documents[fmt.Sprintf("posts/p%02d", i)] = map[string]any{"userId": author, "audience": author, "to": []string{"ada"}, "createdAt": noon.Add(-time.Duration(i) * time.Second)}
	}
	db.write(documents)
	var p feed.Page
	counts, _ := db.counts(func() { p = db.pull(12, "") })
	if got, want := ids(p), "p00 p01 p03 p04 p05 p07 p08 p09 p11 p12 p13 p15"; got != want || p.Rounds != 2 {
		t.Errorf("got %s in %d rounds, want %s in 2", got, p.Rounds, want)
	}
	// bob's five, and twelve that name ada; eight more of these; the blocks of three whom ada does not follow; 9 and 3
	// posts, 1 edge.
	if want := int64(1 + (5 + 12) + 3 + 9 + 8 + 3); counts.Reads != want {
		t.Errorf("it took %v, want %d reads", counts, want)
	}
}

// Posts that the reader may not read cost no more than a page of the longest for each query.
func TestPullQueriesAtMostOnePage(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true})
	documents := edges("bob")
	for i := range 300 {
		documents[fmt.Sprintf("posts/p%03d", i)] = map[string]any{"userId": "bob", "audience": "g_other", "createdAt": noon.Add(-time.Duration(i) * time.Second)}
	}
	db.write(documents)
	var p feed.Page
	counts, _ := db.counts(func() { p = db.pull(feed.MaxLimit, "") })
	if len(p.Posts) != 0 || p.Rounds != 5 || p.Cursor == "" {
		t.Errorf("got %+v", p)
	}
	// An edge; in each round 50 of bob's; and once two queries that find nothing.
	if want := int64(1 + 5*feed.MaxLimit + 2); counts.Reads != want {
		t.Errorf("it took %v, want %d reads", counts, want)
	}
}

func TestPullReportsOmittedFollows(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	const more = 7
	followed := numbered(feed.MaxFollowed + more)
	db.write(edges(followed...))
	db.write(map[string]map[string]any{
		"posts/in":  {"userId": followed[feed.MaxFollowed-1], "audience": followed[feed.MaxFollowed-1], "createdAt": noon},
		"posts/out": {"userId": followed[feed.MaxFollowed], "audience": followed[feed.MaxFollowed], "createdAt": noon},
	})
	if p := db.pull(20, ""); ids(p) != "in" || p.LeftOut != more {
		t.Errorf("got %s, and %d are left out, want %d", ids(p), p.LeftOut, more)
	}
	if _, err := db.Doc("users/ada/following/" + followed[0]).Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := db.pull(20, ""); ids(p) != "in" || p.LeftOut != more {
		t.Errorf("within the minute: %s, and %d are left out", ids(p), p.LeftOut)
	}
	db.Feed = feed.New(db.metered, schema.Config{NoOwnPosts: true}, nil)
	if p := db.pull(20, ""); ids(p) != "out in" || p.LeftOut != more-1 {
		t.Errorf("another instance: %s, and %d are left out, want %d", ids(p), p.LeftOut, more-1)
	}
}

func TestReaderWithoutDocumentsPullsNothing(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	for _, reader := range []string{"a/b", "", ".", "__x__", "nobody"} {
		p, err := db.Pull(t.Context(), reader, 20, "")
		if err != nil || p.Posts == nil || len(p.Posts) > 0 || p.Cursor != "" {
			t.Errorf("%q: %+v, %v", reader, p, err)
		}
	}
}

// Pull queries ids of any size.
func TestPullOfTheLongestIDs(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	var followed []string
	for i := range 31 {
		followed = append(followed, fmt.Sprintf("%04d", i)+strings.Repeat("x", 1400))
	}
	db.write(edges(followed...))
	documents := map[string]map[string]any{}
	var want []string
	for i, u := range followed {
		id := fmt.Sprintf("p%02d", i)
		documents["posts/"+id] = map[string]any{"userId": u, "audience": u, "createdAt": noon.Add(-time.Duration(i) * time.Second)}
		want = append(want, id)
	}
	db.write(documents)
	if diff := cmp.Diff(want, strings.Fields(strings.Join(db.wholePull(20), " "))); diff != "" {
		t.Error(diff)
	}
}

func TestPullCachesFollowsForAMinute(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	now := noon
	db.SetNow(func() time.Time { return now })
	for i, author := range []string{"bob", "eve", "zoe"} {
		for n := range 3 {
			id := fmt.Sprintf("%s%d", author, n)
			db.write(map[string]map[string]any{"posts/" + id: {"userId": author, "audience": author, "createdAt": noon.Add(-time.Duration(3*n+i) * time.Second)}})
		}
	}
	want := func(cursor, want string) {
		t.Helper()
		if got := ids(db.pull(50, cursor)); got != want {
			t.Errorf("at %v: got %s, want %s", now.Sub(noon), got, want)
		}
	}
	db.write(edges("bob"))
	want("", "bob0 bob1 bob2")
	db.write(edges("eve"))
	now = noon.Add(time.Minute - 1)
	early := db.pull(1, "")
	want(early.Cursor, "bob1 bob2")
	now = noon.Add(time.Minute)
	late := db.pull(1, "")
	want("", "bob0 eve0 bob1 eve1 bob2 eve2")

	// A cursor does not go on with an older list than it began with.
	older := newDatabase(t)
	older.Client, older.metered, older.Feed = db.Client, db.metered, feed.New(db.metered, schema.Config{NoOwnPosts: true}, db.Keys())
	older.SetNow(func() time.Time { return noon.Add(time.Minute - 1) })
	if _, err := db.Doc("users/ada/following/eve").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	older.pull(1, "") // bob alone
	db.write(edges("eve", "zoe"))
	if got := ids(older.pull(50, early.Cursor)); got != "bob1 bob2" {
		t.Errorf("a cursor of an older list: %s", got)
	}
	if got := ids(older.pull(50, late.Cursor)); got != "eve0 zoe0 bob1 eve1 zoe1 bob2 eve2 zoe2" {
		t.Errorf("a cursor of a newer list: %s", got)
	}
}
