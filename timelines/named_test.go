package timelines_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A post reaches nobody whom its author has invented, by an event or by a repair; whoever follows its audience, or has a
// profile, gets it. A profile that comes later brings the post by a repair.
func TestNothingBelowPeopleWhoDoNotExist(t *testing.T) {
	t.Parallel()
	for name, inline := range map[string]int{"at once": 100, "in a job": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{Feeds: []string{"items"}, InlineLimit: inline})
			testkit.Profiles(t, a.Client, "r1")
			a.Follow("r2", "ada")
			a.Settle()
			x := a.Instance()
			named := []string{"r1", "r2"}
			for n := range schema.MaxRecipients - 3 {
				named = append(named, fmt.Sprint("invented", n))
			}
			a.PostTo("p", "ada", "ada", time.Now(), append(named, "later")...)
			a.Settle()
			want := func(later ...string) {
				t.Helper()
				for _, reader := range []string{"ada", "r1", "r2"} {
					a.WantTimeline(reader, "p")
				}
				a.WantTimeline("later", later...)
				docs, err := a.Client.CollectionGroup("timeline").Documents(t.Context()).GetAll()
				if err != nil || len(docs) != 3+len(later) {
					t.Errorf("%d timeline documents, want %d: %v", len(docs), 3+len(later), err)
				}
				if checked, err := entries.Check(t.Context(), x.Timelines, entries.Options{}); err != nil || checked.Problems > 0 {
					t.Errorf("check: %+v, %v", checked, err)
				}
			}
			want()
			testkit.Profiles(t, a.Client, "later")
			a.Settle()
			want()
			if _, err := entries.Repair(t.Context(), x.Timelines, entries.Options{}); err != nil {
				t.Error(err)
			}
			want("p")
		})
	}
}

// A follower without a document whose follow is processed after a post that names them gets the post by the follow.
func TestLateFollowBringsPostsByName(t *testing.T) {
	t.Parallel()
	for name, inline := range map[string]int{"at once": 100, "in a job": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.OpenApp(t, schema.Config{Feeds: []string{"items"}, NoOwnPosts: true, InlineLimit: inline})
			a.Follow("r1", "ada")
			a.Block("r2", "ada")
			a.Follow("r2", "ada")
			for _, p := range []string{"p0", "p1", "p2"} {
				a.PostTo(p, "ada", "ada", time.Now(), "r1", "r2")
				a.OK(a.Instance().Timelines.Post(t.Context(), p))
			}
			a.WantTimeline("r1")
			for _, r := range []string{"r1", "r2"} {
				a.OK(a.Instance().Graph.Follow(t.Context(), "ada", r))
			}
			a.OK(a.Worker(0).Finish(a))
			a.WantTimeline("r1", "p2", "p1", "p0")
			a.WantTimeline("r2")
		})
	}
}
