package feed_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/feedtest"
)

// The readers of pulled have everything that decides who gets a post.
func pulled(t *testing.T, own bool) *feedtest.Server {
	t.Helper()
	s := feedtest.New(t, schema.Config{NoOwnPosts: !own, Capacity: 2})
	s.Group("g_team", "ada")
	s.Group("g_club", "ada")
	s.Profile("g_club", map[string]any{"closed": true})
	s.Profile("shy", map[string]any{"name": "Shy", "closed": true})
	for _, follow := range [][2]string{{"bob", "ada"}, {"bob", "g_team"}, {"bob", "shy"}, {"eve", "g_club"}, {"eve", "ada"}, {"zoe", "ada"}, {"zoe", "eve"}, {"ada", "g_team"}} {
		s.Follow(follow[0], follow[1])
	}
	s.Block("zoe", "troll")
	s.Settle()
	for i := range 24 {
		id, at := fmt.Sprintf("p%02d", i), feedtest.Noon.Add(time.Duration(i/3)*time.Second)
		switch i % 8 {
		case 0:
			s.Post(id, "ada", at) // as a release before audiences did
		case 1:
			s.PostTo(id, "ada", "g_team", at, "eve")
		case 2:
			s.PostTo(id, "eve", "g_club", at)
		case 3:
			s.PostTo(id, "shy", "shy", at)
		case 4:
			s.PostTo(id, "troll", "troll", at, "zoe", "bob")
		case 5:
			s.PostTo(id, "ada", "", at, "bob", "ada")
		case 6:
			s.PostTo(id, "bob", "ada", at, "zoe") // an audience that is not bob's
		case 7:
			s.PostTo(id, "zoe", "zoe", at, "zoe", "bob")
		}
	}
	s.Settle()
	s.Edit("p09", firestore.Update{Path: "hidden", Value: true})
	s.Edit("p16", firestore.Update{Path: "audience", Value: "g_team"})
	s.Edit("p17", firestore.Update{Path: "to", Value: "eve"}) // no array
	s.Unfollow("zoe", "ada")
	s.Settle()
	return s
}

func TestPullHasTheFeedOfRelations(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		t.Run(fmt.Sprintf("own posts %v", own), func(t *testing.T) {
			t.Parallel()
			s := pulled(t, own)
			feeds := map[string]string{}
			for _, reader := range []string{"ada", "bob", "eve", "zoe", "shy", "troll", "nobody"} {
				feeds[reader] = s.Whole(reader, "")
				if got := s.Whole(reader, "&source=pull"); got != feeds[reader] {
					t.Errorf("pull has for %s\n%q, relations\n%q", reader, got, feeds[reader])
				}
			}
			for reader, post := range map[string]string{"bob": "p16", "eve": "p02", "zoe": "p06"} {
				if !slices.Contains(strings.Fields(feeds[reader]), post) {
					t.Errorf("%s has %q, without %s: the test shows little", reader, feeds[reader], post)
				}
			}
			if strings.Contains(feeds["zoe"], "p04") || strings.Contains(feeds["shy"], "p03") != own {
				t.Errorf("zoe has %q, shy %q", feeds["zoe"], feeds["shy"])
			}
			// Relations of a post without a time have that of its document. Pull finds none.
			s.PostTo("undated", "ada", "ada", feedtest.Noon)
			s.Edit("undated", firestore.Update{Path: "createdAt", Value: "today"})
			s.Settle()
			if got := s.Whole("bob", ""); got != "undated "+feeds["bob"] {
				t.Errorf("relations have %q", got)
			}
			if got := s.Whole("bob", "&source=pull"); got != feeds["bob"] {
				t.Errorf("pull has %q, want %q", got, feeds["bob"])
			}
		})
	}
}

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
