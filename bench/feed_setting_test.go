package bench

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/functions"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/tokens"
)

const (
	pageOf    = 20  // posts
	postBytes = 280 // of text
)

// setting is a database with a reader's posts, and Feed over it.
type setting struct {
	project string
	reader  string
	client  *firestore.Client // Feed's
	meter   *wire.Meter       // of it
	feed    http.Handler
}

// newSetting writes posts, each with a relation of so many ids. No triggers run.
func newSetting(tb testing.TB, posts, followers int) *setting {
	tb.Helper()
	s := openSetting(tb)
	ids := make([]string, followers)
	for i := range ids {
		ids[i] = followerID(i)
	}
	documents := map[string]map[string]any{} // by path
	random := rand.New(rand.NewPCG(1, 2))
	for i := range posts {
		id, at := fmt.Sprintf("post-of-twenty-%05d", i), time.Date(2026, 11, 20, 12, 0, i, 0, time.UTC)
		documents["posts/"+id] = map[string]any{"userId": "author", "createdAt": at, "text": text(random)}
		documents["_relations/"+id+"_00001"] = map[string]any{
			"postId": id, "userId": "author", "audience": "author", "indexId": "00001", "indexVersion": 1, "createdAt": at,
			"followers": ids, "sizeBytes": 29 * followers,
		}
	}
	s.write(tb, documents)
	return s
}

// openSetting opens an empty database.
func openSetting(tb testing.TB) *setting {
	tb.Helper()
	s := &setting{project: testkit.ProjectID(tb), reader: followerID(0), meter: &wire.Meter{}}
	var err error
	if s.client, err = wire.Open(tb.Context(), s.project, testkit.Machine(tb).Emulator.FirestoreHost(), s.meter.Interceptor()); err != nil {
		tb.Fatal(err)
	}
	handlers, err := functions.New(s.client, schema.Config{
		NoOwnPosts: true, Project: s.project, FeedRate: 1_000_000, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		tb.Fatal(err)
	}
	s.feed = handlers.HTTP(triggers.Feed)
	return s
}

// write writes documents, by path.
func (s *setting) write(tb testing.TB, documents map[string]map[string]any) {
	tb.Helper()
	err := testkit.WriteEach(tb.Context(), s.client, slices.Sorted(maps.Keys(documents)), func(w *firestore.BulkWriter, path string) (*firestore.BulkWriterJob, error) {
		return w.Set(s.client.Doc(path), documents[path])
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// text is what somebody might write, as far as compression is concerned.
func text(random *rand.Rand) string {
	words := strings.Fields("the newest posts of people that I follow come first and what was said before is below them on another page")
	var b strings.Builder
	for b.Len() < postBytes {
		fmt.Fprintf(&b, "%s%d ", words[random.IntN(len(words))], random.IntN(100))
	}
	return b.String()
}

// followerID is as long as a Firebase user id.
func followerID(i int) string { return fmt.Sprintf("follower-%019d", i) }

// page asks for a page of relations.
var page = fmt.Sprintf("limit=%d", pageOf)

// request is one with a token of the reader's; another n, another token.
func (s *setting) request(tb testing.TB, url string, n int) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, nil)
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testkit.Google.IDToken(s.project, s.reader, func(_ tokens.Header, c tokens.Claims) { c["n"] = n }))
	return req
}
