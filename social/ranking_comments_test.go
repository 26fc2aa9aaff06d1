package social_test

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A comment lifts a post for those who follow the commenter, or the comment's audience, whichever
// side has more index documents. What comes later does not lower it.
func TestCommentsLift(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"inline":                         {NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true},
		"by jobs, beside relations":      {NoOwnPosts: true, Feeds: []string{"relations", "items"}, Ranked: true, InlineLimit: 1, Chunk: 1},
		"the author has fewer followers": {NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true, Capacity: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, cfg)
			for _, author := range []string{"ann", "bob", "g_team"} {
				a.Must(a.Client.Doc("users/"+author).Set(t.Context(), map[string]any{"name": author}))
			}
			testkit.Profiles(t, a.Client, "r1", "r2")
			for _, r := range []string{"r1", "r2", "r3"} {
				a.FollowSince(r, "ann", stories.Day.Add(-time.Hour))
			}
			for _, r := range []string{"r1", "x1", "x2", "x3", "x4", "x5"} { // more than follow ann
				a.FollowSince(r, "bob", stories.Day.Add(-time.Hour))
			}
			a.FollowSince("r3", "g_team", stories.Day.Add(-time.Hour))
			a.Settle()
			a.Post("p1", "ann", stories.Day)
			a.Post("p2", "ann", stories.Day.Add(time.Minute))
			a.PostTo("p3", "zoe", "", stories.Day.Add(2*time.Minute), "r1", "r2")
			a.Settle()
			comment := func(p, c, author, audience string) {
				t.Helper()
				fields := map[string]any{"userId": author, "createdAt": firestore.ServerTimestamp, "text": "yes"}
				if audience != "" {
					fields["audience"] = audience
				}
				a.Must(a.Client.Doc("posts/"+p+"/comments/"+c).Set(t.Context(), fields))
				a.Settle()
			}
			a.WantTimeline("r1", "p3", "p2", "p1")
			comment("p1", "c1", "bob", "")
			a.WantTimeline("r1", "p1", "p3", "p2")
			a.WantTimeline("r2", "p3", "p2", "p1")
			a.WantTimeline("r3", "p2", "p1")
			a.WantTimeline("x1")
			comment("p3", "c2", "bob", "") // names r1
			a.WantTimeline("r1", "p3", "p1", "p2")
			comment("p1", "c3", "zoe", "g_team")
			a.WantTimeline("r3", "p1", "p2")
			a.WantTimeline("r2", "p3", "p2", "p1")
			lifted := a.Timeline("r1")
			for _, p := range []string{"p1", "p2", "p3"} {
				a.OK(a.Instance().Timelines.Post(t.Context(), p))
			}
			a.Must(a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "kind", Value: "photo"}}))
			a.Settle()
			for _, c := range []string{"c1", "c2", "c3"} { // again, and late
				for _, p := range []string{"p1", "p3"} {
					a.OK(a.Instance().Ranking.Comment(t.Context(), p, c))
				}
			}
			a.Settle()
			for n, e := range a.Timeline("r1") {
				if e.Post != lifted[n].Post || e.At != lifted[n].At {
					t.Errorf("the entry %d of r1 is %+v, want %+v", n, e, lifted[n])
				}
			}
		})
	}
}

// Comments on what is not there, and of authors who cannot be, change nothing and are acknowledged.
func TestInvalidCommentsLiftNothing(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true})
	a.Must(a.Client.Doc("users/ann").Set(t.Context(), map[string]any{"name": "ann"}))
	a.FollowSince("r1", "ann", stories.Day.Add(-time.Hour))
	a.Settle()
	a.Post("p1", "ann", stories.Day)
	a.Settle()
	for c, fields := range map[string]map[string]any{
		"none": {}, "numbers": {"userId": 7, "audience": 8}, "nobody": {"userId": "nobody"}, "path": {"userId": "a/b", "audience": "."},
	} {
		for _, p := range []string{"p1", "gone"} {
			a.Must(a.Client.Doc("posts/"+p+"/comments/"+c).Set(t.Context(), fields))
		}
	}
	a.Settle()
	if e := a.Timeline("r1"); len(e) != 1 || e[0].At != stories.Day.UnixMicro() {
		t.Errorf("the timeline has %+v", e)
	}
}

// An app's own ranking: bounded, whatever it says.
func TestCustomRankingIsBounded(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true})
	a.Must(a.Client.Doc("users/ann").Set(t.Context(), map[string]any{"name": "ann"}))
	a.FollowSince("r1", "ann", stories.Day.Add(-time.Hour))
	a.Settle()
	a.Post("p1", "ann", stories.Day)
	a.Settle()
	x := a.Instance()
	x.DB.Config.Ranking = schema.Ranking{
		Match: func(context.Context, *firestore.Client, schema.Comment) ([]string, error) {
			return []string{"ann", "", "a/b", "ann"}, nil
		},
		Rank: func(context.Context, *firestore.Client, schema.Comment) (time.Time, error) {
			return time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), nil
		},
	}
	a.Must(a.Client.Doc("posts/p1/comments/c1").Set(t.Context(), map[string]any{"userId": "zoe"}))
	a.Settle()
	a.OK(x.Ranking.Comment(t.Context(), "p1", "c1"))
	if at := time.UnixMicro(a.Timeline("r1")[0].At); at.Before(time.Now()) || at.After(time.Now().Add(6*time.Minute)) {
		t.Errorf("the entry stands at %v", at)
	}
}
