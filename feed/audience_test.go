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

// A follower named by each post has two relations of each, and authors have their own posts.
func TestFeedShowsAPostWithTwoRelationsOnce(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{})
	s.Group("g_team", "ada")
	s.Follow("bob", "g_team")
	s.Follow("ada", "g_team")
	const posts = 12
	for i := range posts {
		s.PostTo(fmt.Sprintf("p%02d", i), "ada", "g_team", feedtest.Noon.Add(time.Duration(i)*time.Second), "bob", "eve")
	}
	s.Settle()
	if got := s.Count("_relations"); got != 2*posts {
		t.Fatalf("%d relations, want two of each post", got)
	}
	for _, reader := range []string{"bob", "ada", "eve"} {
		var all []string
		for query := "?limit=5"; ; {
			got := s.Get(reader, query)
			if want := min(5, posts-len(all)); len(got.Page.Posts) != want {
				t.Errorf("%s: after %d posts, a page has %d, want %d", reader, len(all), len(got.Page.Posts), want)
			}
			all = append(all, strings.Fields(got.IDs())...)
			if got.Page.Cursor == nil || t.Failed() {
				break
			}
			query = "?limit=5&cursor=" + *got.Page.Cursor
		}
		if got, want := strings.Join(all, " "), "p11 p10 p09 p08 p07 p06 p05 p04 p03 p02 p01 p00"; got != want {
			t.Errorf("%s: got %s, want %s", reader, got, want)
		}
	}
}

// The relations of a post are a moment behind. Feed is not.
func TestFeedFollowsAPostAtOnce(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{})
	s.Group("g_team", "ada")
	s.Group("g_other", "ada")
	s.Follow("bob", "g_team")
	s.PostTo("p", "ada", "g_team", feedtest.Noon, "eve")
	s.Settle()
	s.Silence()
	all := []string{"bob", "eve", "ada"}
	for _, step := range []struct {
		what string
		edit firestore.Update
		sees string
	}{
		{"hidden", firestore.Update{Path: "hidden", Value: true}, ""},
		{"shown", firestore.Update{Path: "hidden", Value: false}, "bob eve ada"},
		{"to another group", firestore.Update{Path: "audience", Value: "g_other"}, "eve ada"},
		{"to others", firestore.Update{Path: "to", Value: []string{"zoe"}}, "ada"},
	} {
		s.Edit("p", step.edit)
		var sees []string
		for _, reader := range all {
			if s.Get(reader, "").IDs() == "p" {
				sees = append(sees, reader)
			}
		}
		if got := strings.Join(sees, " "); got != step.sees {
			t.Errorf("%s: %q see it, want %q", step.what, got, step.sees)
		}
	}
}

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
