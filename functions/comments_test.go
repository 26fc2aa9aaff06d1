package functions_test

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

// A comment lifts a post for those who follow the commenter, or the comment's audience, whichever
// side has more index documents. What comes later does not lower it.
func TestCommentsLift(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]config.Functions{
		"inline":                         {Timeline: "items", Ranked: true, RelationsOff: true},
		"by jobs, beside relations":      {Timeline: "items", Ranked: true, InlineLimit: 1, Chunk: 1},
		"the author has fewer followers": {Timeline: "items", Ranked: true, RelationsOff: true, Capacity: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, cfg)
			for _, author := range []string{"ann", "bob", "g_team"} {
				a.Must(a.Client.Doc("users/"+author).Set(t.Context(), map[string]any{"name": author}))
			}
			for _, r := range []string{"r1", "r2", "r3"} {
				a.followSince(r, "ann", day.Add(-time.Hour))
			}
			for _, r := range []string{"r1", "x1", "x2", "x3", "x4", "x5"} { // more than follow ann
				a.followSince(r, "bob", day.Add(-time.Hour))
			}
			a.followSince("r3", "g_team", day.Add(-time.Hour))
			a.Settle()
			a.Post("p1", "ann", day)
			a.Post("p2", "ann", day.Add(time.Minute))
			a.PostTo("p3", "zoe", "", day.Add(2*time.Minute), "r1", "r2")
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
			a.wantTimeline("r1", "p3", "p2", "p1")
			comment("p1", "c1", "bob", "")
			a.wantTimeline("r1", "p1", "p3", "p2")
			a.wantTimeline("r2", "p3", "p2", "p1")
			a.wantTimeline("r3", "p2", "p1")
			a.wantTimeline("x1")
			comment("p3", "c2", "bob", "") // names r1
			a.wantTimeline("r1", "p3", "p1", "p2")
			comment("p1", "c3", "zoe", "g_team")
			a.wantTimeline("r3", "p1", "p2")
			a.wantTimeline("r2", "p3", "p2", "p1")
			lifted := a.timeline("r1")
			for _, p := range []string{"p1", "p2", "p3"} {
				if err := a.Instance().Timelines.Post(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
			a.Must(a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "kind", Value: "photo"}}))
			a.Settle()
			for _, c := range []string{"c1", "c2", "c3"} { // again, and late
				for _, p := range []string{"p1", "p3"} {
					if err := a.Instance().Ranking.Comment(t.Context(), p, c); err != nil {
						t.Fatal(err)
					}
				}
			}
			a.Settle()
			for n, e := range a.timeline("r1") {
				if e.Post != lifted[n].Post || e.At != lifted[n].At {
					t.Errorf("the entry %d of r1 is %+v, want %+v", n, e, lifted[n])
				}
			}
		})
	}
}

// Comments on what is not there, and of authors who cannot be, change nothing and are acknowledged.
func TestCommentsThatLiftNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Timeline: "items", Ranked: true, RelationsOff: true})
	a.Must(a.Client.Doc("users/ann").Set(t.Context(), map[string]any{"name": "ann"}))
	a.followSince("r1", "ann", day.Add(-time.Hour))
	a.Settle()
	a.Post("p1", "ann", day)
	a.Settle()
	for c, fields := range map[string]map[string]any{
		"none": {}, "numbers": {"userId": 7, "audience": 8}, "nobody": {"userId": "nobody"}, "path": {"userId": "a/b", "audience": "."},
	} {
		for _, p := range []string{"p1", "gone"} {
			a.Must(a.Client.Doc("posts/"+p+"/comments/"+c).Set(t.Context(), fields))
		}
	}
	a.Settle()
	if e := a.timeline("r1"); len(e) != 1 || e[0].At != day.UnixMicro() {
		t.Errorf("the timeline has %+v", e)
	}
}

// An app's own ranking: bounded, whatever it says.
func TestAnAppRanksItself(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Timeline: "items", Ranked: true, RelationsOff: true})
	a.Must(a.Client.Doc("users/ann").Set(t.Context(), map[string]any{"name": "ann"}))
	a.followSince("r1", "ann", day.Add(-time.Hour))
	a.Settle()
	a.Post("p1", "ann", day)
	a.Settle()
	x := a.Instance()
	x.DB.Options.Timelines.Ranking = schema.Ranking{
		Match: func(context.Context, *firestore.Client, schema.Comment) ([]string, error) {
			return []string{"ann", "", "a/b", "ann"}, nil
		},
		Rank: func(context.Context, *firestore.Client, schema.Comment) (time.Time, error) {
			return time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), nil
		},
	}
	a.Must(a.Client.Doc("posts/p1/comments/c1").Set(t.Context(), map[string]any{"userId": "zoe"}))
	a.Settle()
	if err := x.Ranking.Comment(t.Context(), "p1", "c1"); err != nil {
		t.Fatal(err)
	}
	if at := time.UnixMicro(a.timeline("r1")[0].At); at.Before(time.Now()) || at.After(time.Now().Add(6*time.Minute)) {
		t.Errorf("the entry stands at %v", at)
	}
}
