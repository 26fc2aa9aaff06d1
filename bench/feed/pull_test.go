package feed

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/console"
)

const (
	pullRequests = 20   // for each number of those followed: the emulator takes seconds for each
	pullPosts    = 1000 // of all authors: a query of the emulator looks at each
	pullPage     = "source=pull&limit=20"
)

// BenchmarkPull measures pages of pull beside a handler that makes the same queries, for
// readers who follow 30, 300 and 1,000. Run it once: -benchtime 1x.
func BenchmarkPull(b *testing.B) {
	for b.Loop() {
		var rows [][]string
		for _, followed := range []int{30, 300, 1000} {
			s, authors := newPullSetting(b, followed)
			if first, want := s.pagePosts(b, s.feed), s.pagePosts(b, s.barePull(authors)); !slices.Equal(first, want) || len(first) != pageOf {
				b.Fatalf("Feed gives %v, the bare handler %v", first, want)
			}
			feed, bare := measureTimes(b, s, s.barePull(authors), pullRequests, pullPage)
			f, r := feed.at(50), bare.at(50)
			rows = append(rows, []string{fmt.Sprint(followed), fmt.Sprint(s.calls(b)), f.Round(10 * time.Microsecond).String(), r.Round(10 * time.Microsecond).String(), fmt.Sprintf("%.3g", ratio(f, r))})
			b.ReportMetric(ratio(f, r), fmt.Sprintf("p50-of-bare-%d", followed))
			if ratio(f, r) > most {
				b.Errorf("following %d: p50 is %.2f times that of the bare handler, more than %.1f", followed, ratio(f, r), most)
			}
		}
		if err := console.Table(os.Stdout, "  ", []string{"followed", "calls a page", fmt.Sprintf("pull, p50 of %d", pullRequests), "bare handler", "times"}, rows); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(0, "ns/op")
	}
}

// newPullSetting writes posts of so many authors, whom the reader follows. No triggers run.
func newPullSetting(tb testing.TB, followed int) (s *setting, authors []string) {
	tb.Helper()
	s = openSetting(tb)
	documents := map[string]map[string]any{} // by path
	random := rand.New(rand.NewPCG(1, 2))
	for i := range followed {
		author := fmt.Sprintf("author-%021d", i)
		authors = append(authors, author)
		documents["users/"+s.reader+"/following/"+author] = map[string]any{"indexId": "00001"}
	}
	for n := range pullPosts {
		author := authors[n*7%followed]
		documents[fmt.Sprintf("posts/post-of-thousand-%05d", n)] = map[string]any{
			"userId": author, "audience": author, "hidden": false, "text": text(random),
			"createdAt": time.Date(2026, 11, 20, 12, 0, n, 0, time.UTC),
		}
	}
	s.write(tb, documents)
	return s, authors
}

// barePull makes the queries of a page of pull, for anybody who asks, as many at once. It
// knows whom the reader follows, as Feed does for a minute.
func (s *setting) barePull(authors []string) http.Handler {
	posts := s.client.Collection("posts")
	var queries []firestore.Query
	for ids := range slices.Chunk(authors, 30) {
		queries = append(queries, posts.Where("audience", "in", ids), posts.Where("userId", "in", ids))
	}
	queries = append(queries, posts.Where("to", "array-contains", s.reader))
	for n := range queries {
		queries[n] = queries[n].OrderBy("createdAt", firestore.Desc).Select("userId", "createdAt", "audience", "hidden").Limit(pageOf)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lists := make([][]*firestore.DocumentSnapshot, len(queries))
		group, ctx := errgroup.WithContext(r.Context())
		group.SetLimit(16)
		for n, q := range queries {
			group.Go(func() (err error) {
				lists[n], err = q.Documents(ctx).GetAll()
				return err
			})
		}
		err := group.Wait()
		createdAt := map[string]time.Time{} // by post
		for _, doc := range slices.Concat(lists...) {
			createdAt[doc.Ref.ID], _ = doc.Data()["createdAt"].(time.Time)
		}
		var refs []*firestore.DocumentRef
		for p := range createdAt {
			refs = append(refs, posts.Doc(p))
		}
		slices.SortFunc(refs, func(a, b *firestore.DocumentRef) int { return createdAt[b.ID].Compare(createdAt[a.ID]) })
		var docs []*firestore.DocumentSnapshot
		if err == nil {
			docs, err = s.client.GetAll(r.Context(), refs[:min(pageOf, len(refs))])
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		found := []map[string]any{}
		for _, doc := range docs {
			post := doc.Data()
			post["id"] = doc.Ref.ID
			found = append(found, post)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"posts": found}) // the client may have gone
	})
}

// pagePosts returns the ids of the posts in a handler's first page.
func (s *setting) pagePosts(tb testing.TB, h http.Handler) (ids []string) {
	tb.Helper()
	w := s.serveBy(tb, h, pullPage, "identity")
	var answer struct {
		Posts []struct {
			ID string `json:"id"`
		} `json:"posts"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		tb.Fatal(err)
	}
	for _, p := range answer.Posts {
		ids = append(ids, p.ID)
	}
	return ids
}

// calls returns how many calls a page of pull makes: its queries, and one for the posts.
func (s *setting) calls(tb testing.TB) int64 {
	tb.Helper()
	before := s.meter.Counts()
	s.serveBy(tb, s.feed, pullPage, "identity")
	return s.meter.Counts().Minus(before).Requests
}
