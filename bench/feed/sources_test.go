package feed

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

const (
	sourceRequests  = 20
	sourcePosts     = 200 // of all authors, 20 a day
	sourceFollowers = 100 // of each author, where relations are read
)

// source is one way to read a page.
type source struct {
	name  string
	cfg   schema.Config
	query string // of Feed; "": the client queries relations itself
}

var sources = []source{
	{"relations, direct query", schema.Config{NoOwnPosts: true}, ""},
	{"Feed, relations", schema.Config{NoOwnPosts: true}, "source=relations&limit=20"},
	{"Feed, pull", schema.Config{NoOwnPosts: true}, "source=pull&limit=20"},
	{"Feed, timeline of items", schema.Config{NoOwnPosts: true, Feeds: []string{"items"}}, "source=timeline&limit=20"},
	{"Feed, timeline of buckets of 50", schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 50}, "source=timeline&limit=20"},
	{"Feed, a ring of 1,000 buckets of 1", schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 1, Cap: 1000}, "source=timeline&limit=20"},
	{"Feed, timeline of days", schema.Config{NoOwnPosts: true, Feeds: []string{"days"}}, "source=timeline&limit=20"},
}

// BenchmarkSources measures a page of 20 from each source, for readers who follow 30 and
// 300: what is read, what the client receives, and how long it takes, the sources in turn.
// Run it once: -benchtime 1x.
func BenchmarkSources(b *testing.B) {
	for b.Loop() {
		var rows [][]string
		for _, followed := range []int{30, 300} {
			rows = append(rows, pagesOfSources(b, followed)...)
		}
		headers := []string{"follows", "a page of 20", "documents", "bytes from Firestore", "bytes to the client", fmt.Sprintf("p50 of %d", sourceRequests)}
		if err := console.Table(os.Stdout, "  ", headers, rows); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(0, "ns/op")
	}
}

// pagesOfSources returns a row for each source. The first request of a source warms up the
// caches; it must give the same posts as the others.
func pagesOfSources(tb testing.TB, followed int) (rows [][]string) {
	tb.Helper()
	related := newSourceSetting(tb, schema.Config{NoOwnPosts: true}, followed)
	readers := make([]func() page20, len(sources))
	for n, s := range sources {
		setting := related
		if s.cfg.Timeline() != "" {
			setting = newSourceSetting(tb, s.cfg, followed)
		}
		if s.query == "" {
			readers[n] = setting.directPages(tb)
		} else {
			readers[n] = setting.feedPages(tb, s.query)
		}
	}
	want := readers[0]().posts
	pages := make([]page20, len(sources))
	took := make([]times, len(sources))
	for round := range 1 + sourceRequests {
		for i := range readers {
			i = (i + round) % len(readers)
			pages[i] = readers[i]()
			if !slices.Equal(pages[i].posts, want) || len(want) != pageOf {
				tb.Fatalf("%s: %v, want %v", sources[i].name, pages[i].posts, want)
			}
			if round > 0 {
				took[i] = append(took[i], pages[i].took)
			}
		}
	}
	for n, s := range sources {
		slices.Sort(took[n])
		p := pages[n]
		rows = append(rows, []string{
			fmt.Sprint(followed), s.name, fmt.Sprint(p.used.Reads), fmt.Sprint(p.used.Received), fmt.Sprint(p.bytes),
			took[n].at(50).Round(10 * time.Microsecond).String(),
		})
	}
	return rows
}

// page20 is a page as a client got it.
type page20 struct {
	posts []string
	used  wire.Counts // of Firestore
	bytes int64       // that the client received
	took  time.Duration
}

// newSourceSetting makes posts of so many authors, whom the reader follows, and brings each to
// its readers, oldest first, by the deliveries of a configuration. No triggers run.
func newSourceSetting(tb testing.TB, cfg schema.Config, followed int) *setting {
	tb.Helper()
	s := openSettingWith(tb, cfg)
	ids := []string{s.reader}
	for i := 1; i < sourceFollowers && cfg.Relations(); i++ {
		ids = append(ids, followerID(i))
	}
	author := func(n int) string { return fmt.Sprintf("author-%021d", n) }
	documents := map[string]map[string]any{} // by path
	for i := range followed {
		documents["users/"+s.reader+"/following/"+author(i)] = map[string]any{"indexId": "00001"}
		documents["users/"+author(i)] = map[string]any{"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"}
		documents["users/"+author(i)+"/followers_index/00001"] = map[string]any{
			"followers": ids, "count": len(ids), "sizeBytes": 29 * len(ids), "version": 1, "changes": []any{}, "backfilled": true,
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	// In the future, so that posts are as old as their documents.
	first, between := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), 24*time.Hour/20
	post := func(n int) string { return fmt.Sprintf("post-of-sources-%05d", n) }
	for n := range sourcePosts {
		documents["posts/"+post(n)] = map[string]any{
			"userId": author(n * 7 % followed), "audience": author(n * 7 % followed), "hidden": false,
			"text": text(random), "createdAt": first.Add(time.Duration(n) * between),
		}
	}
	s.write(tb, documents)
	index := testkit.Index(tb, s.project, cfg)
	for n := range sourcePosts {
		if err := index.Deliveries.Post(tb.Context(), post(n)); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// feedPages returns a function that requests a page of Feed over HTTP.
func (s *setting) feedPages(tb testing.TB, query string) func() page20 {
	tb.Helper()
	server := httptest.NewServer(s.feed)
	tb.Cleanup(server.Close)
	return func() (p page20) {
		req := s.request(tb, server.URL+"/Feed?"+query, 0)
		req.Header.Set("Accept-Encoding", "identity")
		before, started := s.meter.Counts(), time.Now()
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			tb.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			tb.Fatalf("%s, %v: %s", resp.Status, err, body)
		}
		p.took, p.used, p.bytes = time.Since(started), s.meter.Counts().Minus(before), int64(len(body))
		var answer struct {
			Posts []struct {
				ID string `json:"id"`
			} `json:"posts"`
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			tb.Fatal(err)
		}
		for _, post := range answer.Posts {
			p.posts = append(p.posts, post.ID)
		}
		return p
	}
}

// directPages returns a function that makes the query of a client, bound by the rules.
func (s *setting) directPages(tb testing.TB) func() page20 {
	tb.Helper()
	client, meter := s.underRules(tb)
	return func() (p page20) {
		before, started := meter.Counts(), time.Now()
		docs, err := client.Collection("_relations").Where("followers", "array-contains", s.reader).
			OrderBy("createdAt", firestore.Desc).Limit(pageOf).Documents(tb.Context()).GetAll()
		if err != nil {
			tb.Fatal(err)
		}
		p.took, p.used = time.Since(started), meter.Counts().Minus(before)
		p.bytes = p.used.Received
		for _, doc := range docs {
			p.posts = append(p.posts, doc.Data()["postId"].(string))
		}
		return p
	}
}
