package feed_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

// An app that chooses its uids may give an account the id of a group.
func TestFeedRejectsGroupAsReader(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	s.Group("g_team", "ada")
	s.PostTo("p", "ada", "", feedtest.Noon, "g_team")
	s.Settle()
	for _, query := range []string{"", "?ref=x"} {
		s.Get("g_team", query).WantFailure(t, http.StatusUnauthorized, "unauthenticated")
	}
}

func TestFeedOfARef(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	s.Group("g_club", "boss")
	s.Profile("g_club", map[string]any{"closed": true})
	s.Profile("ada", map[string]any{"name": "Ada"})
	s.Follow("bob", "g_club")
	for i, audience := range []string{"ada", "g_club", "ada", "g_club", ""} {
		id := fmt.Sprintf("p%d", i)
		s.PostTo(id, "ada", audience, feedtest.Noon.Add(time.Duration(i)*time.Second))
		s.Edit(id, firestore.Update{Path: "refs", Value: []string{"job/17 é"}})
	}
	s.PostTo("other", "ada", "ada", feedtest.Noon)
	s.Settle()
	const ref = "?ref=job%2F17%20%C3%A9"
	for reader, want := range map[string]string{"ada": "p4 p3 p2 p1 p0", "bob": "p3 p2 p1 p0", "boss": "p3 p2 p1 p0", "eve": "p2 p0"} {
		got := s.Get(reader, ref)
		if got.IDs() != want || got.Page.Cursor != nil {
			t.Errorf("%s gets %d %s, want %s", reader, got.StatusCode, got.Body, want)
		}
		first := s.Get(reader, ref+"&limit=1")
		if first.Page.Cursor == nil {
			t.Fatalf("%s: one post is all: %s", reader, first.Body)
		}
		second := s.Get(reader, "?cursor="+*first.Page.Cursor+"&limit=50&"+ref[1:])
		if got := first.IDs() + " " + second.IDs(); got != want {
			t.Errorf("%s gets %s on two pages, want %s", reader, got, want)
		}
		s.Get(reader, "?ref=other&cursor="+*first.Page.Cursor).WantFailure(t, http.StatusBadRequest, "invalid-argument")
		s.Get(reader, "?cursor="+*first.Page.Cursor).WantFailure(t, http.StatusBadRequest, "invalid-argument")
	}
	before := s.Meter.Counts()
	if got := s.Get("bob", ref).IDs(); got == "" {
		t.Fatal("no posts")
	}
	// Five posts found, four returned; ada, the group, and bob's follow.
	if c := s.Meter.Counts().Minus(before); c.Reads != 5+2+1+4 || c.Requests != 4 || c.Writes+c.Deletes != 0 {
		t.Errorf("a page of four took %v, want 12 reads in 4 requests", c)
	}
	for _, secret := range []string{"job/17", "g_club", "bob"} {
		if lines := feedLines(s.Log.String()); lines == "" || strings.Contains(lines, secret) {
			t.Errorf("%q is in the log, or it has nothing: %s", secret, lines)
		}
	}
	s.Unfollow("bob", "g_club")
	if got := s.Get("bob", ref).IDs(); got != "p2 p0" {
		t.Errorf("after the unfollow: %s", got)
	}
}

// feedLines are the lines of the log that Feed wrote.
func feedLines(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"function":"Feed"`) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
