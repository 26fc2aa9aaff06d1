package feed_test

import (
	"errors"
	"fmt"
	"maps"
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

func TestPullReturnsSamePostsAsRelations(t *testing.T) {
	t.Parallel()
	type post = map[string]any
	tests := map[string]struct {
		post         post
		want         bool
		own, updated bool // the options
	}{
		"of an earlier release":                       {post{}, true, false, false},
		"of an earlier release, where all are filled": {post{}, false, false, true},
		"for the author's followers":                  {post{"audience": "bob", "hidden": false}, true, false, true},
		"hidden":                                      {post{"audience": "bob", "hidden": true}, false, false, false},
		"of an earlier release, hidden":               {post{"hidden": true}, false, false, false},
		"hidden is no boolean":                        {post{"hidden": "true"}, true, false, false},
		"for nobody":                                  {post{"audience": ""}, false, false, false},
		"of somebody not followed":                    {post{"userId": "eve"}, false, false, false},
		"of somebody whom the reader is leaving":      {post{"userId": "shy", "audience": "shy"}, false, false, false},
		"of an index document without a name":         {post{"userId": "odd", "audience": "odd"}, false, false, false},
		"for a group, of somebody not followed":       {post{"userId": "eve", "audience": "g_club"}, true, false, true},
		"for a group that is not followed":            {post{"audience": "g_other"}, false, false, false},
		"for another's followers":                     {post{"userId": "eve", "audience": "bob"}, false, false, false},
		"by one who is followed, for another's":       {post{"audience": "eve"}, false, false, false},
		"an audience that is no text":                 {post{"audience": 7}, false, false, false},
		"for a group, of no author":                   {post{"userId": nil, "audience": "g_club"}, false, false, false},
		"for a group, of an invalid author":           {post{"userId": "a/b", "audience": "g_club"}, false, false, false},
		"names the reader":                            {post{"userId": "eve", "audience": "", "to": []any{"zoe", "ada"}}, true, false, true},
		"names the reader, hidden":                    {post{"userId": "eve", "to": []any{"ada"}, "hidden": true}, false, false, false},
		"names the reader, of somebody blocked":       {post{"userId": "troll", "to": []any{"ada"}}, false, false, false},
		"of somebody blocked, for a group":            {post{"userId": "troll", "audience": "g_club"}, true, false, false},
		"… that names the reader too":                 {post{"userId": "troll", "audience": "g_club", "to": []any{"ada"}}, false, false, false},
		"damaged audience, names the reader":          {post{"audience": 7, "to": []any{"ada"}}, true, false, false},
		"to has too many":                             {post{"userId": "eve", "to": append(many(100), "ada")}, false, false, false},
		"to has what is no text too":                  {post{"userId": "eve", "to": []any{"ada", 7}}, true, false, false},
		"to has an invalid id too":                    {post{"userId": "eve", "to": []any{"a/b", "ada"}}, true, false, false},
		"… of one who is followed":                    {post{"to": []any{"ada", 7}}, true, false, false},
		"the reader's own":                            {post{"userId": "ada", "audience": "ada"}, false, false, false},
		"the reader's own, in feeds":                  {post{"userId": "ada", "audience": "ada"}, true, true, true},
		"the reader's own for nobody, in feeds":       {post{"userId": "ada", "audience": ""}, true, true, false},
		"the reader's own, hidden, in feeds":          {post{"userId": "ada", "hidden": true}, false, true, false},
		"the reader's own, to the reader":             {post{"userId": "ada", "audience": "", "to": []any{"ada"}}, false, false, false},
		"the reader's own for a group":                {post{"userId": "ada", "audience": "g_club"}, true, false, false},
		"createdAt is no time":                        {post{"createdAt": "2026"}, false, false, false},
		"createdAt is a number":                       {post{"createdAt": 7}, false, false, false},
		"createdAt is null":                           {post{"createdAt": nil}, false, false, false},
	}
	type form struct{ own, filled bool }
	databases := map[form]*database{}
	for _, own := range []bool{false, true} {
		for _, filled := range []bool{false, true} {
			db := newDatabaseFor(t, schema.Config{NoOwnPosts: !own, PostsFilled: filled})
			db.write(edges("bob", "g_club"))
			db.write(map[string]map[string]any{
				"users/ada/following/shy": {"createdAt": noon, "left": []string{"00001"}},
				"users/ada/following/odd": {"createdAt": noon, "indexId": ""},
				"users/ada/blocked/troll": {"createdAt": noon},
			})
			databases[form{own, filled}] = db
		}
	}
	for name, test := range tests {
		db := databases[form{test.own, test.updated}]
		fields := post{"userId": "bob", "createdAt": noon, "text": "hello"}
		maps.Copy(fields, test.post)
		db.write(map[string]map[string]any{"posts/p1": fields})
		p := db.pull(20, "")
		if got := ids(p); (got == "p1") != test.want {
			t.Errorf("%s: got %q, want the post: %v", name, got, test.want)
		}
		if test.want && len(p.Posts) == 1 && (p.Posts[0].Data["text"] != "hello" || !p.Posts[0].CreatedAt.Equal(noon)) {
			t.Errorf("%s: %+v", name, p.Posts[0])
		}
	}
}

func TestPagesOfPullFollowEachOther(t *testing.T) {
	t.Parallel()
	for _, filled := range []bool{false, true} {
		db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: filled})
		followed := numbered(35) // two queries
		db.write(edges(followed...))
		documents := map[string]map[string]any{
			"posts/text": {"userId": "u0001", "audience": "u0001", "createdAt": "zzz"},
		}
		var want []string
		add := func(id string, post map[string]any, readable bool) {
			documents["posts/"+id] = post
			if readable {
				want = append(want, id)
			}
		}
		for i := range 40 {
			author := followed[i*7%len(followed)]
			// Groups of three with equal times, ids that look like those of relations, posts for others
			// between them, and posts that two or three queries find.
			post := map[string]any{"userId": author, "audience": author, "createdAt": noon.Add(-time.Duration(i/3) * time.Microsecond)}
			switch i % 5 {
			case 1:
				post["audience"] = "g_other"
			case 2:
				post["to"] = []string{"ada"}
			case 3:
				post["userId"], post["audience"], post["to"] = "eve", "", []string{"zoe", "ada"}
			}
			add(fmt.Sprintf("p_%05d", 99-i), post, i%5 != 1)
		}
		add("q"+strings.Repeat("é", 349)+"x", map[string]any{"userId": "u0034", "audience": "u0034", "createdAt": noon.Add(-time.Hour)}, true)
		add("last", map[string]any{"userId": "u0000", "audience": "u0000", "createdAt": noon.Add(-2 * time.Hour)}, true)
		db.write(documents)
		for _, limit := range map[bool][]int{false: {4, 50}, true: {1, 10}}[filled] {
			pages := db.wholePull(limit)
			if diff := cmp.Diff(want, strings.Fields(strings.Join(pages, " "))); diff != "" {
				t.Errorf("filled %v, limit %d (-want +got):\n%s", filled, limit, diff)
			}
			for n, page := range pages {
				if got := len(strings.Fields(page)); got < limit && n < len(pages)-2 { // the last but one may end where the last begins
					t.Errorf("filled %v, limit %d: page %d has %d posts", filled, limit, n, got)
				}
			}
		}
	}
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

func TestPullRejectsInvalidCursors(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.write(edges("bob"))
	for i := range 3 {
		db.post(fmt.Sprintf("p%d", i), "bob", noon.Add(-time.Duration(i)*time.Second), "00001")
	}
	ofRelations, ofPull := db.page(1, "").Cursor, db.pull(1, "").Cursor
	if _, err := db.Pull(t.Context(), "ada", 1, ofRelations); !errors.Is(err, feed.ErrCursor) {
		t.Errorf("a cursor of relations: %v, want ErrCursor", err)
	}
	if _, err := db.Page(t.Context(), "eve", 1, ofPull); !errors.Is(err, feed.ErrCursor) {
		t.Errorf("another's: %v, want ErrCursor", err)
	}
	if _, err := db.Slice(t.Context(), "ada", "topic", 1, ofPull); !errors.Is(err, feed.ErrCursor) {
		t.Errorf("for a slice: %v, want ErrCursor", err)
	}
	if _, err := db.Pull(t.Context(), "ada", 0, ""); !errors.Is(err, feed.ErrLimit) {
		t.Errorf("no limit: %v", err)
	}
	for _, read := range []func(int, string) feed.Page{db.page, db.pull} {
		if p := read(5, ofPull); ids(p) != "p1 p2" || p.Source != feed.SourcePull || p.Cursor != "" {
			t.Errorf("got %s from %s, want p1 p2 from pull", ids(p), p.Source)
		}
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
