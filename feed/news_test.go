package feed_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

// asked are a question for news, its answer, and the reads that it takes once an instance knows the horizon.
type asked struct {
	shown time.Time
	want  bool
	reads int64
}

// wantNews asks whether ada has news.
func (db *database) wantNews(name, ref, source string, questions ...asked) {
	db.t.Helper()
	for _, q := range questions {
		var got feed.News
		counts, _ := db.counts(func() {
			var err error
			if got, err = db.News(db.t.Context(), "ada", ref, source, q.shown); err != nil {
				db.t.Fatal(err)
			}
		})
		if got.News != q.want || counts.Reads != q.reads || counts.Writes+counts.Deletes != 0 {
			db.t.Errorf("%s: since %v, news %v for %v; want %v for %d reads", name, q.shown, got.News, counts, q.want, q.reads)
		}
		if len(got.Read.Posts) != 0 || got.Read.Cursor != "" || got.Read.Rounds < 1 || got.Read.Rounds > 5 {
			db.t.Errorf("%s: it has read %+v", name, got.Read)
		}
	}
}

const tick = time.Microsecond

// server is a function Feed that is asked for news.
type server struct{ *feedtest.Server }

func (s server) wantNews(reader, query string, shown time.Time, want bool) {
	s.T.Helper()
	got := s.Get(reader, query+"news="+url.QueryEscape(shown.UTC().Format(time.RFC3339Nano)))
	if got.StatusCode != http.StatusOK || got.Page.News == nil || *got.Page.News != want {
		s.T.Errorf("%s of %s since %v: %d %s, want %v", query, reader, shown, got.StatusCode, got.Body, want)
	}
}

// Without newer posts, relations cost one read.
func TestNewsOfRelations(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{})
	db.page(1, "") // which reads the horizon
	db.wantNews("empty", "", "", asked{noon, false, 1}, asked{time.Time{}, false, 1})
	db.post("first", "bob", time.Time{}, "00001")
	db.wantNews("of the first time that Firestore stores", "", "", asked{time.Time{}, false, 1})
	for i := range 3 {
		db.post(fmt.Sprintf("p%d", i), "bob", noon.Add(time.Duration(i)*time.Second), "00001", "00002")
	}
	last := noon.Add(2 * time.Second)
	db.wantNews("of one author", "", "", asked{last, false, 1}, asked{last.Add(time.Hour), false, 1}, asked{last.Add(-tick), true, 2}, asked{noon.Add(-time.Hour), true, 2})
	db.post("p3", "bob", last, "00001")
	db.wantNews("of the same time", "", "", asked{last, false, 1})

	own := last.Add(time.Second)
	db.write(map[string]map[string]any{
		"posts/mine":            {"userId": "ada", "createdAt": own},
		"_relations/mine_00000": directOf("mine", "ada", own),
	})
	db.wantNews("own", "", "", asked{last, true, 2}, asked{own, false, 1})

	named := own.Add(time.Second)
	db.write(map[string]map[string]any{
		"posts/named":            {"userId": "eve", "createdAt": named, "to": []any{"ada"}},
		"_relations/named_00000": directOf("named", "eve", named),
	})
	db.wantNews("by name", "", "", asked{own, true, 2}, asked{named, false, 1})
}

// A relation of a deleted post is no news, however often a client polls.
func TestDeletedPostsAreNoNews(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.post("p", "bob", noon, "00001")
	db.page(1, "")
	gone := func(from, to int) {
		documents := map[string]map[string]any{}
		for i := from; i < to; i++ {
			id := fmt.Sprintf("gone%02d", i)
			documents["_relations/"+id+"_00001"] = relationOf(id, "bob", "00001", noon.Add(time.Duration(i+1)*time.Second))
		}
		db.write(documents)
	}
	before := noon.Add(-tick)
	gone(0, 1) // and a read for no other one
	db.wantNews("a post", "", "", asked{noon, false, 1 + 1 + 1}, asked{before, true, 1 + 1 + 1 + 1})
	gone(1, 5)
	db.wantNews("five", "", "", asked{noon, false, 5 + 5}, asked{before, true, 6 + 6})
	gone(5, 30)
	db.wantNews("30", "", "", asked{noon, false, 30 + 30}, asked{before, true, 31 + 31})
	gone(30, 60)
	db.wantNews("60", "", "", asked{noon, false, 31 + 31}, asked{before, false, 31 + 31})
	db.write(map[string]map[string]any{
		"posts/hidden": {"userId": "bob", "createdAt": noon.Add(time.Hour), "hidden": true}, "_relations/hidden_00001": relationOf("hidden", "bob", "00001", noon.Add(time.Hour)),
		"posts/new": {"userId": "bob", "createdAt": noon.Add(time.Hour - 1)}, "_relations/new_00001": relationOf("new", "bob", "00001", noon.Add(time.Hour-tick)),
	})
	db.wantNews("a post behind one that is hidden", "", "", asked{noon, true, 3 + 3}, asked{noon.Add(time.Hour - tick), false, 1 + 1 + 1})
	if p := db.page(1, ""); ids(p) != "new" {
		t.Errorf("the page has %q", ids(p))
	}
}

// Posts larger than a page's memory are read in parts.
func TestNewsBehindLargePosts(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	documents := map[string]map[string]any{}
	for i := range 8 {
		id, at := fmt.Sprintf("p%d", i), noon.Add(time.Duration(i)*time.Second)
		documents["posts/"+id] = map[string]any{"userId": "bob", "createdAt": at, "hidden": i > 0, "text": strings.Repeat("x", 900<<10)}
		documents["_relations/"+id+"_00001"] = relationOf(id, "bob", "00001", at)
	}
	for path, fields := range documents { // together they are more than a request holds
		db.write(map[string]map[string]any{path: fields})
	}
	for shown, want := range map[time.Time]bool{noon: false, noon.Add(-tick): true} {
		if got, err := db.News(t.Context(), "ada", "", "", shown); err != nil || got.News != want {
			t.Errorf("since %v: %v, %v; want %v", shown, got.News, err, want)
		}
	}
}

// Pull costs at least one read for each query, and reads the reader's follows once a minute.
func TestNewsOfPull(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.write(edges(append(numbered(30), "bob")...)) // two queries for each 30, and one for names
	db.write(map[string]map[string]any{
		"posts/p":      {"userId": "bob", "audience": "bob", "createdAt": noon},
		"posts/secret": {"userId": "bob", "audience": "", "createdAt": noon.Add(time.Second)},
	})
	// p is found by its audience and its author; secret is found by its author, and may not be read.
	db.wantNews("first in a minute", "", feed.SourcePull, asked{noon.Add(time.Hour), false, 31 + 5})
	db.wantNews("again", "", feed.SourcePull, asked{noon.Add(time.Hour), false, 5}, asked{noon.Add(-tick), true, 5 + 1 + 1})
	// The queries are made again whose posts run short: the one that has found secret.
	db.wantNews("a post that may not be read", "", feed.SourcePull, asked{noon, false, 5 + 1})
}

// News are read from relations while the client's newest post is younger than the horizon. Beyond it,
// they cost a pull too: an author followed since may bring older posts.
func TestNewsAtTheHorizon(t *testing.T) {
	t.Parallel()
	db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true})
	db.horizon(4)
	db.write(kept(10, 4)) // p00 and p01 of noon, and so on, two of a second; the horizon is two seconds ago
	db.page(1, "")
	db.pull(1, "") // which reads whom ada follows
	db.wantNews("young", "", "", asked{noon, false, 1}, asked{noon.Add(-time.Second), true, 2}, asked{noon.Add(-time.Hour), true, 2})
	db.SetNow(func() time.Time { return noon.Add(time.Hour + 30*time.Second) }) // all are older now
	db.wantNews("old", "", "", asked{noon, false, 1 + 2}, asked{noon.Add(-time.Second), true, 1 + 2 + 1})
}

// News of a slice cost a read for each audience that has to be looked up.
func TestNewsOfASlice(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	db.referring(map[string]any{"id": "old"})
	before := noon.Add(-tick)
	db.wantNews("one", "topic", "", asked{noon, false, 1}, asked{before, true, 1 + 1 + 1})
	later := noon.Add(time.Second)
	db.referring(map[string]any{"id": "closed", "userId": "shy", "createdAt": later}, map[string]any{"id": "own", "userId": "ada", "createdAt": later.Add(-tick), "hidden": true})
	db.wantNews("closed and hidden", "topic", "", asked{noon, false, (1 + 2) + 1}, asked{before, true, (1 + 2) + 2 + 1 + 1})
	if _, err := db.News(t.Context(), "ada", "a\xff", "", noon); !errors.Is(err, feed.ErrRef) {
		t.Errorf("a ref that is no UTF-8: %v", err)
	}
	if _, err := db.News(t.Context(), "ada", "", feed.SourceTimeline, noon); !errors.Is(err, feed.ErrSource) {
		t.Errorf("without timelines: %v", err)
	}
}

// A timeline costs one read: of the newest item, of the open bucket, or of the newest day. Posts that the reader
// hides are no news; a post lifted by a comment is.
func TestNewsOfTimelines(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"items":        {Feeds: []string{"items"}, Ranked: true},
		"buckets of 2": {Feeds: []string{"buckets"}, Bucket: 2},
		"buckets":      {Feeds: []string{"relations", "buckets"}},
		"days":         {Feeds: []string{"relations", "days"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.ReaderSettings = true
			s := server{feedtest.New(t, cfg)}
			s.Must(s.Client.Doc("users/ada").Set(t.Context(), map[string]any{"name": "ada"}))
			s.Must(s.Client.Doc("users/bob/settings/read").Set(t.Context(), map[string]any{"readAt": feedtest.Noon}))
			s.FollowSince("bob", "ada", feedtest.Noon.Add(-time.Hour))
			s.Settle()
			at := func(n int) time.Time { return feedtest.Noon.Add(time.Duration(n) * time.Minute) }
			want := func(name string, shown time.Time, news bool, reads int64) {
				t.Helper()
				before := s.Meter.Counts()
				s.wantNews("bob", "?source=timeline&", shown, news)
				if c := s.Meter.Counts().Minus(before); c.Reads != reads {
					t.Errorf("%s: %v, want %d reads", name, c, reads)
				}
			}
			for n := range 5 {
				s.Post(fmt.Sprintf("p%d", n), "ada", at(n))
				s.Settle()
				want(fmt.Sprint(n, " is shown"), at(n), false, 1)
				reads := int64(2)
				if cfg.Bucket == 2 && n > 0 && n%2 == 0 {
					reads++ // the others were closed: is there another one to begin a next page with?
				}
				want(fmt.Sprint(n, " is new"), at(n).Add(-tick), true, reads)
			}
			s.PostTo("mine", "bob", "", at(5))
			s.Settle()
			want("own", at(4), true, 2)
			s.Must(s.Client.Doc("users/bob/hidden/mine").Set(t.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}))
			s.Settle()
			want("hidden", at(4), false, 2)
			if got := s.Get("bob", "?source=timeline&limit=1"); got.IDs() != "p4" {
				t.Errorf("the page has %s", got.IDs())
			}
			if cfg.Ranked {
				s.Must(s.Client.Doc("posts/p0/comments/c").Set(t.Context(), map[string]any{"userId": "ada"}))
				s.Settle()
				want("lifted", at(4), true, 2)
			}
		})
	}
}
