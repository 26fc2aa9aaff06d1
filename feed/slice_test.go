package feed_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/feed"
)

// referring writes posts that refer to topic, each a second older than the one before, with
// bob as author unless their fields say otherwise.
func (db *database) referring(posts ...map[string]any) {
	db.t.Helper()
	documents := map[string]map[string]any{}
	for i, fields := range posts {
		post := map[string]any{"userId": "bob", "createdAt": noon.Add(-time.Duration(i) * time.Second), "refs": []string{"other", "topic"}}
		maps.Copy(post, fields)
		delete(post, "id")
		documents[fmt.Sprint("posts/", fields["id"])] = post
	}
	db.write(documents)
}

// slice reads a page of ada's.
func (db *database) slice(limit int, cursor string) feed.Page {
	db.t.Helper()
	p, err := db.Slice(db.t.Context(), "ada", "topic", limit, cursor)
	for range 3 {
		if status.Code(err) != codes.Unavailable {
			break
		}
		// A busy emulator may close the connection after a large answer was cancelled. Clients ask again.
		p, err = db.Slice(db.t.Context(), "ada", "topic", limit, cursor)
	}
	if err != nil {
		db.t.Fatal(err)
	}
	return p
}

// wholeSlice reads ada's slice to its end, and returns the pages as texts: "p3 p2".
func (db *database) wholeSlice(limit int) (pages []string) {
	db.t.Helper()
	for cursor, n := "", 0; n < 1000; n++ {
		p := db.slice(limit, cursor)
		pages = append(pages, ids(p))
		if cursor = p.Cursor; cursor == "" {
			return pages
		}
	}
	db.t.Fatal("the slice has no end")
	return nil
}

// audiences writes closed and open audiences, of which ada follows some.
func (db *database) audiences() {
	db.t.Helper()
	type fields = map[string]any
	db.write(map[string]map[string]any{
		"users/bob":                        {"name": "Bob"},
		"users/shy":                        {"name": "Shy", "closed": true},
		"users/friend":                     {"name": "Friend", "closed": true},
		"users/unnamed/followers/ada":      fields{"createdAt": noon},
		"users/indexed":                    {"followers_index": []string{"00001"}},
		"users/odd":                        {"name": "Odd", "closed": "yes"},
		"users/friend/followers/ada":       fields{"createdAt": noon},
		"users/g_open":                     {"name": "Open", "ownerId": "bob"},
		"users/g_closed":                   {"name": "Closed", "ownerId": "bob", "closed": true},
		"users/g_club":                     {"name": "Club", "ownerId": "bob", "closed": true},
		"users/g_club/followers/ada":       fields{"createdAt": noon},
		"users/g_mine":                     {"name": "Mine", "ownerId": "ada", "closed": true},
		"users/g_ghost":                    {"followers_index": []string{"00001"}},
		"users/g_ownerless":                {"name": "Ownerless"},
		"users/g_ownerless/followers/bob":  fields{"createdAt": noon},
		"users/g_gone/followers/ada":       fields{"createdAt": noon},
		"users/g_closed/followers/someone": fields{"createdAt": noon},
	})
}

func TestSliceHasOnlyPostsItsReaderMayRead(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	type post = map[string]any
	for name, test := range map[string]struct {
		post post
		want bool
	}{
		"of an earlier release":                                  {post{}, true},
		"for the author's followers":                             {post{"audience": "bob", "hidden": false}, true},
		"of an author without a profile":                         {post{"userId": "nobody"}, false},
		"of an author without a profile whom the reader follows": {post{"userId": "unnamed"}, true},
		"of an author whom functions alone have written":         {post{"userId": "indexed"}, false},
		"of an author who is closed by a text":                   {post{"userId": "odd"}, false},
		"of a closed author":                                     {post{"userId": "shy"}, false},
		"of a closed author, who names the reader":               {post{"userId": "shy", "to": []any{"eve", "ada"}}, true},
		"of a closed author, to an open group":                   {post{"userId": "shy", "audience": "g_open"}, true},
		"of a closed author whom the reader follows":             {post{"userId": "friend"}, true},
		"for an open group":                                      {post{"audience": "g_open"}, true},
		"for a group without an owner":                           {post{"audience": "g_ownerless"}, true},
		"for a closed group":                                     {post{"audience": "g_closed"}, false},
		"for a closed group that the reader follows":             {post{"audience": "g_club"}, true},
		"for a closed group of the reader's":                     {post{"audience": "g_mine"}, true},
		"for a group that is gone":                               {post{"audience": "g_gone"}, false},
		"for a group that was never there":                       {post{"audience": "g_never"}, false},
		"for a group that functions left":                        {post{"audience": "g_ghost"}, false},
		"for a group that is gone, to the reader":                {post{"audience": "g_gone", "to": []any{"ada"}}, true},
		"for nobody":                          {post{"audience": ""}, false},
		"for the reader alone":                {post{"audience": "", "to": []any{"ada"}}, true},
		"for another alone":                   {post{"audience": "", "to": []any{"eve"}}, false},
		"the reader's own for nobody":         {post{"userId": "ada", "audience": ""}, true},
		"the reader's own for a closed group": {post{"userId": "ada", "audience": "g_closed"}, true},
		"the reader's own, hidden":            {post{"userId": "ada", "hidden": true}, false},
		"hidden":                              {post{"hidden": true}, false},
		"hidden, to the reader":               {post{"to": []any{"ada"}, "hidden": true}, false},
		"another's followers":                 {post{"audience": "friend"}, false},
		"an audience that is no text":         {post{"audience": 7}, false},
		"an invalid audience":                 {post{"audience": "g_a/b"}, false},
		"an invalid author":                   {post{"userId": "a/b"}, false},
		"no author":                           {post{"userId": nil}, false},
		"to is no array":                      {post{"audience": "", "to": "ada"}, false},
		"to has too many":                     {post{"audience": "", "to": append(many(100), "ada")}, false},
		"another ref":                         {post{"refs": []any{"top"}}, false},
		"refs is no array":                    {post{"refs": "topic"}, false},
		"createdAt is no time":                {post{"createdAt": "2026"}, false},
		"createdAt is a number":               {post{"createdAt": 2026}, false},
	} {
		fields := post{"id": "p1"}
		maps.Copy(fields, test.post)
		db.referring(fields)
		if got := ids(db.slice(20, "")); (got == "p1") != test.want {
			t.Errorf("%s: got %q, want the post: %v", name, got, test.want)
		}
	}
}

func TestPagesOfASliceFollowEachOther(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	var posts []map[string]any
	var want []string
	for i := range 14 {
		// Pairs of equal times, ids that look like those of relations, and posts of a closed
		// author in between.
		post := map[string]any{"id": fmt.Sprintf("p_%05d", 50-i), "createdAt": noon.Add(-time.Duration(i/2) * time.Microsecond)}
		if i%3 == 2 {
			post["userId"] = "shy"
		} else {
			want = append(want, post["id"].(string))
		}
		posts = append(posts, post)
	}
	long := "q" + strings.Repeat("é", 349) + "x" // 700 bytes, the longest id of a post
	posts = append(posts, map[string]any{"id": long, "createdAt": noon.Add(-time.Hour)}, map[string]any{"id": "last", "createdAt": noon.Add(-2 * time.Hour)})
	want = append(want, long, "last")
	// Posts without a time come first and last in Firestore's order.
	posts = append(posts, map[string]any{"id": "text", "createdAt": "zzz"}, map[string]any{"id": "null", "createdAt": nil}, map[string]any{"id": "n", "createdAt": 7})
	db.referring(posts...)
	for _, limit := range []int{1, 2, 3, 10, 50} {
		pages := db.wholeSlice(limit)
		if diff := cmp.Diff(want, strings.Fields(strings.Join(pages, " "))); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
		if got := len(strings.Fields(pages[0])); got != min(limit, len(want)) {
			t.Errorf("limit %d: the first page has %d posts", limit, got)
		}
	}
}

// A page of n posts for a audiences, c of them closed, costs n + a + c + n reads.
func TestSlicePageReadsEachAudienceOnce(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	var posts []map[string]any
	for i := range 24 {
		post := []map[string]any{
			{"audience": "bob"}, {"audience": "g_open"}, {"audience": "g_club"}, {"userId": "friend"},
			{"userId": "ada", "audience": "g_closed"}, {"audience": "g_never", "to": []any{"ada"}},
		}[i%6]
		posts = append(posts, map[string]any{"id": fmt.Sprintf("p%02d", i)})
		maps.Copy(posts[i], post)
	}
	db.referring(posts...)
	var p feed.Page
	counts, calls := db.counts(func() { p = db.slice(20, "") })
	if len(p.Posts) != 20 || p.Rounds != 1 || counts.Reads != 20+4+2+20 || calls != 4 || counts.Writes+counts.Deletes != 0 {
		t.Errorf("%d posts in %d rounds took %v in %d calls; want 46 reads in 4", len(p.Posts), p.Rounds, counts, calls)
	}
	counts, calls = db.counts(func() { p, _ = db.Slice(t.Context(), "ada", "nothing", 20, "") })
	if len(p.Posts) != 0 || p.Posts == nil || p.Cursor != "" || calls != 1 {
		t.Errorf("a slice without posts took %v in %d calls: %+v", counts, calls, p)
	}
	// Posts that may not be read take one read each, and what replaces them no second look at an
	// audience.
	for i := range 6 {
		if _, err := db.Doc(fmt.Sprintf("posts/p%02d", i)).Update(t.Context(), []firestore.Update{
			{Path: "userId", Value: "shy"}, {Path: "audience", Value: "shy"}, {Path: "to", Value: []string{}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	counts, calls = db.counts(func() { p = db.slice(12, "") })
	if len(p.Posts) != 12 || p.Rounds != 2 || counts.Reads != 12+5+3+6+12+6 || calls != 6 {
		t.Errorf("%d posts in %d rounds took %v in %d calls; want 44 reads in 6", len(p.Posts), p.Rounds, counts, calls)
	}
}

// flooded writes posts that ada may not read, n in all, and below them posts that she may read.
func (db *database) flooded(n int, readable ...string) {
	db.t.Helper()
	type post = map[string]any
	unreadable := []post{
		{"audience": ""}, {"audience": "", "to": []any{"eve"}}, {"hidden": true}, {"userId": "shy"}, {"audience": "g_closed"}, {"audience": "g_gone"},
	}
	var posts []post
	for i := range n {
		posts = append(posts, maps.Clone(unreadable[i%len(unreadable)]))
		posts[i]["id"] = fmt.Sprintf("x%04d", i)
	}
	for _, id := range readable {
		posts = append(posts, post{"id": id, "audience": "bob"})
	}
	db.referring(posts...)
}

// An attacker refers to a topic in a thousand posts that few people may read, or nobody.
func TestFirstPageOfASliceHasPostsBelowAThousandThatItsReaderMayNotRead(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprintf("p%02d", i))
	}
	db.flooded(feed.MaxPassed, want...)
	var p feed.Page
	counts, calls := db.counts(func() { p = db.slice(20, "") })
	if diff := cmp.Diff(want, strings.Fields(ids(p))); diff != "" {
		t.Errorf("after %d rounds (-want +got):\n%s", p.Rounds, diff)
	}
	// Each entry, four audiences, the follows of two of them, and the posts.
	if counts.Reads != feed.MaxPassed+20+4+2+20 || calls != 5+3+1 {
		t.Errorf("the page took %v in %d calls; want 1046 reads in 9", counts, calls)
	}
	// A poll finds no news among them, and is cheap.
	var n feed.News
	counts, _ = db.counts(func() { n, _ = db.News(t.Context(), "ada", "topic", "", noon.Add(-time.Hour)) })
	if n.News || counts.Reads > 31+6 {
		t.Errorf("news: %v for %v; want no news for 31 posts and their audiences", n.News, counts)
	}
}

func TestSlicePagesGoOnBelowPostsThatTheirReaderMayNotRead(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	db.flooded(2*(feed.MaxPassed+2)+1, "last")
	if diff := cmp.Diff([]string{"", "", "last"}, db.wholeSlice(2)); diff != "" {
		t.Error(diff)
	}
	p := db.slice(2, "")
	if p.Cursor == "" || p.Rounds != 5 {
		t.Errorf("cursor %q after %d rounds; want a page after 5 that is not the last", p.Cursor, p.Rounds)
	}
}

// Servers write large arrays.
func TestLargePostsOfASliceEndAPageEarly(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	large := slices.Repeat([]string{strings.Repeat("x", 1000)}, 900)
	var want []string
	for i := range 12 {
		id := fmt.Sprintf("p%02d", i)
		db.write(map[string]map[string]any{"posts/" + id: {
			"userId": "bob", "createdAt": noon.Add(-time.Duration(i) * time.Second), "refs": []string{"topic"}, "to": large,
		}})
		want = append(want, id)
	}
	var p feed.Page
	counts, _ := db.counts(func() { p = db.slice(12, "") })
	if n := len(p.Posts); n < 1 || n > 4 || p.Cursor == "" {
		t.Errorf("%d posts, cursor %q; want at most 4 of 900 KB, and more to come", n, p.Cursor)
	}
	t.Logf("the first page of %d took %v and %d bytes", len(p.Posts), counts, counts.Received)
	if diff := cmp.Diff(want, strings.Fields(strings.Join(db.wholeSlice(12), " "))); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidRefsAndCursorsAreRejected(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	for _, ref := range []string{"", strings.Repeat("é", 129), "a\xff"} {
		if _, err := db.Slice(t.Context(), "ada", ref, 20, ""); !errors.Is(err, feed.ErrRef) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	for _, ref := range []string{"a/b", ".", "__x__", "`", strings.Repeat("é", 128), strings.Repeat("𝄞", 128)} {
		db.referring(map[string]any{"id": "p1", "refs": []string{ref}})
		if p, err := db.Slice(t.Context(), "ada", ref, 20, ""); err != nil || ids(p) != "p1" {
			t.Errorf("%q: %v, %v", ref, ids(p), err)
		}
	}
	if _, err := db.Slice(t.Context(), "ada", "topic", 0, ""); !errors.Is(err, feed.ErrLimit) {
		t.Errorf("no limit: %v", err)
	}
	db.post("p2", "bob", noon, "00001")
	db.referring(map[string]any{"id": "p2", "refs": []string{"topic", "other"}})
	ofFeed, ofTopic := db.page(1, "").Cursor, db.slice(1, "").Cursor
	if ofFeed == "" || ofTopic == "" {
		t.Fatal("there are no cursors")
	}
	for name, read := range map[string]func() (feed.Page, error){
		"another reader":        func() (feed.Page, error) { return db.Slice(t.Context(), "eve", "topic", 1, ofTopic) },
		"another ref":           func() (feed.Page, error) { return db.Slice(t.Context(), "ada", "other", 1, ofTopic) },
		"the feed's":            func() (feed.Page, error) { return db.Slice(t.Context(), "ada", "topic", 1, ofFeed) },
		"a slice's in the feed": func() (feed.Page, error) { return db.Page(t.Context(), "ada", 1, ofTopic) },
	} {
		if _, err := read(); !errors.Is(err, feed.ErrCursor) {
			t.Errorf("%s: %v, want ErrCursor", name, err)
		}
	}
}
