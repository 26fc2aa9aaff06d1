package bench

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
)

const (
	requests = 1000
	// tokenCount is how many there are in that many requests: each is verified, and
	// its account looked up, when it first comes.
	tokenCount = 20
	// most is how much longer than the bare handler Feed may take.
	most = 1.3
)

// bare makes the same two calls and writes the JSON, for anybody who asks.
func (s *setting) bare() http.Handler {
	fail := func(w http.ResponseWriter, err error) { http.Error(w, err.Error(), http.StatusInternalServerError) }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, err := s.client.Collection("_relations").Where("followers", "array-contains", s.reader).
			OrderBy("createdAt", firestore.Desc).Select("postId", "userId", "createdAt").Limit(pageOf).
			Documents(r.Context()).GetAll()
		if err != nil {
			fail(w, err)
			return
		}
		var refs []*firestore.DocumentRef
		for _, doc := range found {
			refs = append(refs, s.client.Collection("posts").Doc(doc.Data()["postId"].(string)))
		}
		docs, err := s.client.GetAll(r.Context(), refs)
		if err != nil {
			fail(w, err)
			return
		}
		var posts []map[string]any
		for _, doc := range docs {
			posts = append(posts, doc.Data())
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(posts) // the client may have gone
	})
}

// times are those of requests, the fastest first.
type times []time.Duration

func (t times) at(percent int) time.Duration { return t[min(len(t)-1, len(t)*percent/100)] }

// measureTimes makes requests of Feed and of the bare handler in turn, one after the other,
// so that whatever else the machine does meets both.
func measureTimes(tb testing.TB, s *setting) (feed, bare times) {
	tb.Helper()
	servers := []*httptest.Server{httptest.NewServer(s.feed), httptest.NewServer(s.bare())}
	took := make([]times, len(servers))
	for n := range requests {
		for i := range servers {
			i = (i + n) % len(servers) // each is first half of the time
			req := s.request(tb, servers[i].URL+"/Feed?"+page, n%tokenCount)
			started := time.Now()
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				tb.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
				tb.Fatalf("%s, %v", resp.Status, err)
			}
			_ = resp.Body.Close()
			took[i] = append(took[i], time.Since(started))
		}
	}
	for i := range servers {
		servers[i].Close()
		slices.Sort(took[i])
	}
	return took[0], took[1]
}
