package feed_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/feedtest"
)

func TestPageSourceFollowsCursorAndQuery(t *testing.T) {
	t.Parallel()
	s := feedtest.Seeded(t, 5, schema.Config{NoOwnPosts: true})
	first, pull := s.Get("bob", "?limit=2&source=relations"), s.Get("bob", "?limit=2&source=pull")
	if first.IDs() != "p5 p4" || pull.IDs() != "p5 p4" {
		t.Fatalf("got %s and %s", first.Body, pull.Body)
	}
	cursor := "&cursor=" + *pull.Page.Cursor
	for _, query := range []string{"?limit=2" + cursor, "?limit=2&source=relations" + cursor, "?limit=2&source=pull" + cursor} {
		if got := s.Get("bob", query); got.IDs() != "p3 p2" {
			t.Errorf("%s: got %d %s", query, got.StatusCode, got.Body)
		}
	}
	for _, query := range []string{
		"?source=", "?source=push", "?source=Pull", "?source=pull&source=pull", "?source=pull&ref=x", "?source=relations&ref=x",
		"?source=pull&cursor=" + *first.Page.Cursor, "?ref=x" + cursor,
	} {
		before := s.Meter.Counts().Requests
		s.Get("bob", query).WantFailure(t, http.StatusBadRequest, "invalid-argument")
		if n := s.Meter.Counts().Requests - before; n != 0 {
			t.Errorf("%s: %d calls to Firestore for it", query, n)
		}
	}
	for _, source := range []string{"relations", "pull"} {
		if want := fmt.Sprintf(`"source":%q`, source); !strings.Contains(feedLines(s.Log.String()), want) {
			t.Errorf("%s is not in the log", want)
		}
	}
}

func TestFeedReportsFollowsOmittedByPull(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	s.Silence()
	var edges []string
	for i := range 1003 {
		if i < 1000 {
			edges = append(edges, fmt.Sprintf("users/reader1000/following/u%04d", i))
		}
		edges = append(edges, fmt.Sprintf("users/reader1003/following/u%04d", i))
	}
	err := testkit.WriteEach(t.Context(), s.Client, edges, func(w *firestore.BulkWriter, path string) (*firestore.BulkWriterJob, error) {
		return w.Set(s.Client.Doc(path), map[string]any{"indexId": "00001", "createdAt": feedtest.Noon})
	})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{1000: `{"posts":[]}`, 1003: `{"posts":[],"leftOut":3}`} {
		if got := s.Get(fmt.Sprintf("reader%d", n), "?source=pull"); strings.TrimSpace(string(got.Body)) != want {
			t.Errorf("%d followed: %s, want %s", n, got.Body, want)
		}
	}
}
