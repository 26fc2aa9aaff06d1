//go:build long

package prices_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/feed/pages"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines/layout"
)

// timelineApp is an app with timelines, whose cost is that of the formulas x.
type timelineApp struct {
	*app
	x prices.Timelines
}

func newTimelineApp(t *testing.T, cfg schema.Config) *timelineApp {
	t.Helper()
	cfg.Chunk, cfg.CopiedFields = chunk, []string{"text"}
	a := newApp(t, cfg)
	testkit.Profiles(t, a.Client, "n0", "n1")
	a.Settle()
	o, beside := cfg.WithDefaults(), formulas(cfg, 4*cfg.Capacity)
	beside.Off = !o.Relations()
	return &timelineApp{a, prices.Timelines{
		Layout: o.Timeline(), Bucket: o.Bucket, Cap: o.Cap, Backfill: o.Backfill, KeepOnUnfollow: o.KeepOnUnfollow, Ranked: o.Ranked,
		Settings: o.ReaderSettings, Beside: beside, Capacity: o.Capacity,
	}}
}

// timeline is the newest entries of a reader's.
func (a *app) timeline(reader string) []layout.Entry {
	a.T.Helper()
	entries, err := pages.Newest(a.T.Context(), a.Instance().DB, a.Instance().Timelines.Layout(), reader, 100)
	if err != nil {
		a.T.Fatal(err)
	}
	return entries
}

// timelineForm is a layout of timelines.
type timelineForm struct {
	name string
	schema.Config
}

// timelineForms are the layouts, with buckets of two entries.
var timelineForms = []timelineForm{
	{"items", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}},
	{"buckets", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2}},
	{"a ring", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2, Cap: 4}},
	{"days", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}},
}

// future is the time of posts here, so that they are as old as their documents.
var future = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// crowd gives an author n followers, as if all had followed.
func (a *timelineApp) crowd(author string, n int) []string {
	a.T.Helper()
	documents := map[string]map[string]any{}
	var ids, all []string
	for from := 0; from < n; from += a.x.Capacity {
		var readers []string
		size := 0
		for i := from; i < min(n, from+a.x.Capacity); i++ {
			readers = append(readers, fmt.Sprintf("%s%03d", author, i))
			size += len(author) + 4
		}
		id := schema.IndexID(len(ids) + 1)
		ids, all = append(ids, id), append(all, readers...)
		documents["users/"+author+"/followers_index/"+id] = map[string]any{
			"followers": readers, "count": len(readers), "sizeBytes": size, "version": 1, "changes": []any{}, "backfilled": true,
		}
	}
	if n > 0 {
		documents["users/"+author] = map[string]any{"name": "A", "followers_index": ids, "latestFollowersIndex": ids[len(ids)-1]}
	}
	testkit.Write(a.T, a.Client, documents)
	a.Settle()
	return all
}

// each is n readers in the state that with gives.
func each(n int, with func(r *prices.Readers, n float64)) prices.Readers {
	r := prices.Readers{All: n}
	if with != nil {
		with(&r, float64(n))
	}
	return r
}

func isNew(r *prices.Readers, n float64)  { r.New = n }
func isFull(r *prices.Readers, n float64) { r.Full = n }
func isPast(r *prices.Readers, n float64) { r.Past = n }
func isOnly(r *prices.Readers, n float64) { r.Only = n }

func TestFormulasOfPostsInTimelines(t *testing.T) {
	t.Parallel()
	for form, test := range pairs(timelineForms, []struct {
		followers, named, capacity, inline int
		off                                bool
	}{
		{0, 0, 3, inline, true},
		{1, 0, 3, inline, true},
		{0, 2, 3, inline, true},
		{2, 2, 3, inline, false},
		{inline, 0, 3, inline, false},
		{5, 0, 3, inline, true},
		{7, 1, 3, inline, false},
		{9, 0, 1, inline, true},
		{31, 0, 7, inline, true},  // two pages
		{30, 0, 10, inline, true}, // one
		{30 + 30, 2, 15, inline, true},
		{103, 2, 200, 110, true}, // two transactions
	}) {
		t.Run(fmt.Sprintf("%s, %d followers in documents of %d, %d named", form.name, test.followers, test.capacity, test.named), func(t *testing.T) {
			t.Parallel()
			cfg := form.Config
			cfg.Capacity, cfg.InlineLimit, cfg.Feeds = test.capacity, test.inline, schema.FeedsOf(cfg.Timeline(), !test.off)
			a := newTimelineApp(t, cfg)
			a.x.Beside.Recipients = test.named
			named := []string{"n0", "n1"}[:test.named]
			readers := append(a.crowd("author", test.followers), named...)
			others := a.crowd("g_other", 2)
			post := func(p string, hours int) func() {
				return func() { a.PostTo(p, "author", "author", future.Add(time.Duration(hours)*time.Hour), named...) }
			}
			buckets := a.x.Layout == schema.LayoutBuckets
			edit := func(p string) func() {
				return func() { a.Edit(p, firestore.Update{Path: "text", Value: "two"}) }
			}
			want := func(what string, formula func(followers, named prices.Readers) prices.Counts, state func(*prices.Readers, float64), client wire.Counts, do func()) {
				t.Helper()
				if !buckets {
					state = nil // documents and entries are the same
				}
				a.wantCost(what, formula(each(test.followers, state), each(test.named, state)), client, do)
			}

			want("the first post", a.x.Post, isNew, oneWrite, post("p0", 0))
			a.wantCost("the deletion of the only post", a.x.Delete(each(test.followers, isOnly), each(test.named, isOnly)), oneDelete, func() { a.DeletePost("p0") })
			want("another first post", a.x.Post, isNew, oneWrite, post("p1", 1))
			want("a post", a.x.Post, nil, oneWrite, post("p2", 2))
			want("a post that closes buckets", a.x.Post, isFull, oneWrite, post("p3", 3))
			if test.off {
				want("the same event", a.x.Again, nil, wire.Counts{}, func() {
					a.again("OnPostWritten", "posts/p3")
				})
			}
			want("an edit", a.x.Edit, nil, oneWrite, edit("p3"))
			want("an edit in closed buckets", a.x.Edit, isPast, oneWrite, edit("p1"))
			a.wantCost("an edit of nothing", a.x.EditOfNothing(), oneWrite, func() { a.Edit("p3", firestore.Update{Path: "likes", Value: 2}) })
			want("hiding in closed buckets", a.x.Hide, isPast, oneWrite, func() { a.Edit("p1", firestore.Update{Path: "hidden", Value: true}) })
			want("a deletion", a.x.Delete, nil, oneDelete, func() { a.DeletePost("p3") })
			if test.off && test.named == 0 {
				from := each(test.followers, isOnly)
				to := each(len(others), nil)
				if buckets {
					from, to = each(test.followers, isPast), each(len(others), isNew)
				}
				a.wantCost("another audience", a.x.Move(from, to), oneWrite, func() { a.Edit("p2", firestore.Update{Path: "audience", Value: "g_other"}) })
			}
			for n := range 5 {
				var state func(*prices.Readers, float64)
				if n > 0 && n%2 == 0 {
					state = isFull
				}
				want(fmt.Sprint("post ", n), a.x.Post, state, oneWrite, post(fmt.Sprint("q", n), 24+n))
			}
			if test.followers > 0 {
				if got := a.timeline(readers[0])[0].Post; got != "q4" {
					t.Errorf("the newest post is %s", got)
				}
			}
		})
	}
}

// timelineOf writes n posts of another author, who names a reader, so that their timeline has
// these.
func (a *timelineApp) timelineOf(reader string, n int) {
	a.T.Helper()
	a.Profile(reader, map[string]any{"name": reader})
	for i := range n {
		a.PostTo(fmt.Sprint("o", i, reader), "another", "another", future.Add(-48*time.Hour), reader)
		a.Settle()
	}
}

func TestFormulasOfFollowsInTimelines(t *testing.T) {
	t.Parallel()
	for form, test := range pairs(timelineForms, []struct {
		posts, perDay, before, backfill, inline int
		off                                     bool
	}{
		{3, 1, 0, 0, inline, true},
		{0, 1, 0, 4, inline, true},
		{3, 1, 0, 4, inline, false},
		{3, 2, 1, 4, inline, true},
		{4, 2, 3, 4, inline, true},
		{5, 1, 2, 3, inline, true},
		{7, 2, 1, 100, inline, true}, // jobs of pages of 3
		{7, 3, 0, 100, inline, false},
		{60, 7, 3, 100, 100, true}, // three transactions
	}) {
		if form.Cap > 0 {
			test.backfill = min(test.backfill, form.Cap)
		}
		t.Run(fmt.Sprintf("%s of %d, backfill of %d of %d posts, %d a day", form.name, test.before, test.backfill, test.posts, test.perDay), func(t *testing.T) {
			t.Parallel()
			cfg := form.Config
			cfg.Backfill, cfg.InlineLimit, cfg.Capacity, cfg.Feeds = test.backfill, test.inline, 2, schema.FeedsOf(cfg.Timeline(), !test.off)
			a := newTimelineApp(t, cfg)
			a.Profile("author", map[string]any{"name": "A"})
			for i := range test.posts {
				a.Post(fmt.Sprintf("p%02d", i), "author", day.AddDate(0, 0, i/test.perDay).Add(time.Duration(i%test.perDay)*time.Hour))
			}
			a.Settle()
			for _, r := range []string{"f1", "f2", "f3"} {
				a.timelineOf(r, test.before)
			}
			before, n := prices.Timeline{Entries: test.before, PerDay: 1}, test.posts
			perDay := test.perDay
			follow := func(r string) func() { return func() { a.Follow(r, "author") } }
			a.wantCost("the first follow", a.x.FollowOpening(n, 0, n, before, perDay), oneWrite, follow("f1"))
			a.wantCost("a follow", a.x.Follow(n, n, before, perDay), oneWrite, follow("f2"))
			a.wantCost("a follow that opens an index document", a.x.FollowOpening(n, 1, n, before, perDay), oneWrite, follow("f3"))
			documents := a.documentsOf("f2", "author")
			a.wantCost("an unfollow", a.x.Unfollow(n, documents), oneDelete, func() { a.Unfollow("f2", "author") })
		})
	}
}

// documentsOf are the documents of a reader's timeline that have entries of an author.
func (a *timelineApp) documentsOf(reader, author string) prices.Readers {
	a.T.Helper()
	docs, err := a.Client.Collection("users/"+reader+"/timeline").Where("accounts", "array-contains", author).Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	return documentsOf(author, docs)
}

// documentsOf are those documents of a timeline that have entries of an author.
func documentsOf(author string, docs []*firestore.DocumentSnapshot) (have prices.Readers) {
	for _, doc := range docs {
		accounts, _ := doc.Data()["accounts"].([]any)
		if !slices.Contains(accounts, any(author)) {
			continue
		}
		have.All++
		sequence, _ := doc.Data()["sequence"].(int64)
		switch {
		case strings.HasPrefix(doc.Ref.ID, "past-"):
			have.Past++
		case len(accounts) == 1 && sequence <= 1:
			have.Only++
		}
	}
	return have
}

func TestFormulasOfPagesOfTimelines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cfg     schema.Config
		entries int
		perDay  int
	}{
		"items":                  {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}, 12, 1},
		"few items":              {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}, 3, 1},
		"no items":               {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}, 0, 1},
		"a bucket":               {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}}, 12, 1},
		"buckets of 1":           {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 1}, 12, 1},
		"buckets of 2":           {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2}, 12, 1},
		"buckets of 2, one more": {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2}, 13, 1},
		"buckets of 5":           {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 5}, 13, 1},
		"a small ring":           {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2, Cap: 6}, 13, 1},
		"days of 1":              {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}, 12, 1},
		"days of 2":              {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}, 12, 2},
		"days of 3":              {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}, 12, 3},
		"few days":               {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.cfg.Feeds = schema.FeedsOf(test.cfg.Timeline(), false)
			a := newTimelineApp(t, test.cfg)
			a.crowd("author", 1)
			for i := range test.entries {
				a.Post(fmt.Sprintf("post%016d", i), "author", future.AddDate(0, 0, i/test.perDay))
				a.Settle()
			}
			const posts = 6
			if err := a.Handlers().Ready(t.Context(), triggers.Sweep); err != nil { // it makes the keys of cursors
				t.Fatal(err)
			}
			of := prices.Timeline{Entries: test.entries, PerDay: test.perDay}
			var page []layout.Entry
			client := a.Instance(a.Meter.Interceptor())
			a.wantCost("a page", a.x.Page(posts, of), wire.Counts{}, func() {
				var err error
				if page, err = pages.Newest(t.Context(), client.DB, client.Timelines.Layout(), "author000", posts); err != nil {
					t.Error(err)
				}
			})
			if want := min(posts, test.entries); len(page) != want {
				t.Errorf("a page has %d posts, want %d", len(page), want)
			}
			if test.entries <= posts {
				return // Feed looks whether there are more
			}
			a.wantCost("a page through Feed", a.x.FeedPage(posts, of), wire.Counts{}, func() {
				answer := httptest.NewRecorder()
				request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/Feed?source=timeline&limit="+strconv.Itoa(posts), nil)
				request.Header.Set("Authorization", "Bearer "+testkit.Google.IDToken(a.ID, "author000", nil))
				if a.Handlers().HTTP("Feed")(answer, request); answer.Code != http.StatusOK {
					t.Errorf("it answered %d: %s", answer.Code, answer.Body)
				}
			})
		})
	}
}

func TestFormulasOfPurgesInTimelines(t *testing.T) {
	t.Parallel()
	for form, test := range pairs(timelineForms, []struct{ followers, posts, own int }{{0, 0, 0}, {0, 0, 2}, {1, 2, 0}, {1, 4, 4}, {0, 3, 3}}) { // more followers share reads
		t.Run(fmt.Sprintf("%s, %d followers, %d posts, %d entries", form.name, test.followers, test.posts, test.own), func(t *testing.T) {
			t.Parallel()
			form.Feeds, form.KeepOnUnfollow, form.Capacity = schema.FeedsOf(form.Timeline(), false), true, 3
			a := newTimelineApp(t, form.Config)
			a.Profile("before", map[string]any{"name": "B"})
			a.DeleteAccount("before")
			a.Profile("author", map[string]any{"name": "A"})
			account := prices.Account{Followers: test.followers, Posts: test.posts}
			for i := range test.followers {
				a.Follow(fmt.Sprint("f", i), "author")
			}
			a.Settle()
			for i := range test.posts {
				a.Post(fmt.Sprint("p", i), "author", future.AddDate(0, 0, i))
				a.Settle()
			}
			for i := range test.followers {
				docs := a.documentsOf(fmt.Sprint("f", i), "author")
				account.Entries.All += docs.All
				account.Entries.Past += docs.Past
				account.Entries.Only += docs.Only
			}
			a.Follow("author", "other")
			a.Settle()
			for i := range test.own {
				a.Post(fmt.Sprint("o", i), "other", future.AddDate(0, 0, i))
				a.Settle()
			}
			account.Own = a.documentsOf("author", "other").All
			a.Unfollow("author", "other") // the entries stay
			a.Settle()
			a.wantCost("a purge", a.x.Purge(account), oneDelete, func() { a.DeleteAccount("author") })
		})
	}
}
