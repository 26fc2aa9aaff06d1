package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

// wantRelated checks which posts have relations to index documents and recipients, by their ids, and
// that each expires when it should.
func wantRelated(a *testkit.App, want ...string) {
	a.T.Helper()
	var got []string
	for path, data := range a.Documents(a.Client.Collection("_relations").Query) {
		got = append(got, strings.TrimPrefix(path, "_relations/"))
		at, _ := data["expireAt"].(time.Time)
		if want := data["createdAt"].(time.Time).Add(testkit.HorizonDay + schema.HorizonMargin); !at.Equal(want) {
			a.T.Errorf("%s expires at %v, want %v", path, data["expireAt"], want)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		a.T.Errorf("relations (-want +got):\n%s", diff)
	}
}

// Posts get relations while they are younger than the horizon and an hour, in a fanout and in a
// backfill, by handlers and by jobs. Feeds are whole all the same.
func TestHorizonLimitsRelationsAndFeedsStayComplete(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"handlers": {NoOwnPosts: true, Horizon: testkit.HorizonDay, Capacity: 1},
		"jobs":     {NoOwnPosts: true, Horizon: testkit.HorizonDay, Capacity: 1, InlineLimit: 1, Chunk: 1, Range: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, cfg)
			a.Group("g_team", "ada")
			a.Follow("r1", "ada")
			a.Follow("r1", "g_team")
			a.Follow("r2", "g_team")
			a.Settle()
			for id, age := range map[string]time.Duration{"young": testkit.Young, "margin": testkit.InMargin, "old": testkit.Old, "imported": testkit.VeryOld, "ahead": -4 * time.Minute} {
				a.AgedPost(id, "ada", age)
			}
			now := time.Now().Truncate(time.Microsecond)
			a.PostTo("team", "ada", "g_team", now.Add(-testkit.Young), "eve")
			a.PostTo("oldteam", "ada", "g_team", now.Add(-testkit.Old), "eve")
			a.Settle()
			want := []string{"young_00001", "margin_00001", "ahead_00001", "team_00001", "team_00002", "team_00000"}
			wantRelated(a, want...)
			a.Follow("r2", "ada")    // opens an index document
			a.Follow("r3", "g_team") // and of a group
			a.Settle()
			wantRelated(a, append(want, "young_00002", "margin_00002", "ahead_00002", "team_00003")...)
			a.WantVerified()
			for _, reader := range []string{"r1", "r2", "r3", "eve"} {
				a.WantJoin(reader, 2)
			}
		})
	}
}

// An edit of createdAt moves a post across the horizon, and back. An expired relation is kept correct
// until it is deleted, and feeds do not depend on it.
func TestEditedPostCrossesHorizonAndReturns(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Horizon: testkit.HorizonDay, Capacity: 2, CopiedFields: []string{"text"}})
	a.Follow("r1", "ada")
	a.AgedPost("p", "ada", testkit.Young)
	a.AgedPost("stays", "ada", testkit.Young)
	a.Settle()
	a.Edit("p", firestore.Update{Path: "createdAt", Value: time.Now().Add(-testkit.Old).Truncate(time.Microsecond)})
	a.Settle()
	wantRelated(a, "p_00001", "stays_00001")
	a.Follow("r2", "ada")
	a.Edit("p", firestore.Update{Path: "text", Value: "new"})
	a.Settle()
	if r := a.Data("_relations/p_00001"); r["text"] != "new" || len(r["followers"].([]any)) != 2 {
		t.Errorf("the relation that has expired is not kept right: %v", r)
	}
	a.WantVerified()
	a.WantJoin("r2", 1)
	if n := a.Sweep(); n != 1 {
		t.Errorf("%d documents have expired, want 1", n)
	}
	wantRelated(a, "stays_00001")
	a.WantVerified()
	a.WantJoin("r2", 1)
	a.Edit("p", firestore.Update{Path: "createdAt", Value: time.Now().Add(-testkit.Young).Truncate(time.Microsecond)})
	a.Settle()
	wantRelated(a, "p_00001", "stays_00001")
	a.Edit("p", firestore.Update{Path: "createdAt", Value: time.Now().Add(-testkit.Old).Truncate(time.Microsecond)}, firestore.Update{Path: "userId", Value: "eve"})
	a.Settle()
	wantRelated(a, "stays_00001") // an old post gets none of its new audience
	a.WantVerified()
}

// A backfill goes on after a post that has passed the horizon meanwhile, because that was lowered: the walk
// is done, and the index document marked. Production rejects a query after that place.
func TestBackfillContinuesBeyondHorizon(t *testing.T) {
	t.Parallel()
	cfg := schema.Config{NoOwnPosts: true, Horizon: 3 * testkit.HorizonDay, Capacity: 2, Chunk: 1, InlineLimit: 1}
	a := testkit.OpenApp(t, cfg)
	a.StoreHorizon(schema.Horizon{Feed: 3 * testkit.HorizonDay, Kept: 3 * testkit.HorizonDay})
	for n := 1; n <= 3; n++ {
		a.AgedPost(fmt.Sprint("p", n), "ada", testkit.DaysAgo(n))
	}
	a.Follow("r1", "ada")
	before, after := a.Instance(), a.Instance()
	if err := before.Graph.Follow(t.Context(), "ada", "r1"); err != nil { // which leaves a job
		t.Fatal(err)
	}
	page := func(x *social.System, from *firestore.DocumentRef, counts map[string]int64) chunker.Page {
		job := chunker.Job{Args: map[string]string{schema.ArgAuthor: "ada", schema.ArgIndex: "00001"}, Total: new(int64), Counts: counts}
		done, err := x.Relations.Tasks()[1].Phases[0].Page(t.Context(), job, from, 2)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	first := page(before, nil, nil)
	a.StoreHorizon(schema.Horizon{Feed: testkit.HorizonDay, Kept: testkit.HorizonDay})
	if last := page(after, first.Last, first.Counts); !first.More || last.More {
		t.Errorf("pages %+v and %+v, want two", first, last)
	}
	if n := a.Count("_relations"); n != 2 || a.Data("users/ada/followers_index/00001")["backfilled"] != true {
		t.Errorf("%d relations, and the index document is %v", n, a.Data("users/ada/followers_index/00001"))
	}
}

// Verify wants the relations of young posts, with the right expireAt, and leaves those of others alone.
// A repair makes that right, and the second writes nothing.
func TestVerifyAndRepairApplyHorizon(t *testing.T) {
	t.Parallel()
	drop := func(a *testkit.App, id string) { a.Must(a.Client.Doc("_relations/" + id).Delete(a.T.Context())) }
	expire := func(a *testkit.App, id string, value any) {
		a.Must(a.Client.Doc("_relations/"+id).Update(a.T.Context(), []firestore.Update{{Path: "expireAt", Value: value}}))
	}
	for name, c := range map[string]struct {
		damage func(a *testkit.App)
		wrong  int
	}{
		"a young one is gone":          {func(a *testkit.App) { drop(a, "young_00001") }, 1},
		"a direct one is gone":         {func(a *testkit.App) { drop(a, "young_00000") }, 1},
		"one in the margin is gone":    {func(a *testkit.App) { drop(a, "margin_00001") }, 0},
		"an old direct one is gone":    {func(a *testkit.App) { drop(a, "margin_00000") }, 0},
		"one that expires too early":   {func(a *testkit.App) { expire(a, "young_00001", time.Now()) }, 1},
		"one that expires later":       {func(a *testkit.App) { expire(a, "young_00001", time.Now().Add(9*testkit.HorizonDay)) }, 0},
		"one that never expires":       {func(a *testkit.App) { expire(a, "margin_00001", firestore.Delete) }, 1},
		"one that is a text":           {func(a *testkit.App) { expire(a, "young_00001", "tomorrow") }, 1},
		"a direct one that never does": {func(a *testkit.App) { expire(a, "young_00000", firestore.Delete) }, 1},
		"an old one with wrong fields": {func(a *testkit.App) {
			a.Must(a.Client.Doc("_relations/margin_00001").Update(t.Context(), []firestore.Update{{Path: "text", Value: "x"}}))
		}, 1},
		"one of a post without a time": {func(a *testkit.App) { drop(a, "nodate_00001") }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Horizon: testkit.HorizonDay, Capacity: 2, CopiedFields: []string{"text"}})
			a.Follow("r1", "ada")
			now := time.Now().Truncate(time.Microsecond)
			a.PostTo("young", "ada", "ada", now.Add(-testkit.Young), "eve")
			a.PostTo("margin", "ada", "ada", now.Add(-testkit.InMargin), "eve")
			a.Follow("r2", "kim")
			a.Must(a.Client.Doc("posts/nodate").Set(t.Context(), map[string]any{"userId": "kim", "audience": "kim", "hidden": false, "createdAt": "a text"}))
			a.Settle()
			a.WantVerified()
			c.damage(a)
			if found := a.Violations(); len(found) != c.wrong {
				t.Errorf("verify finds %v, want %d", found, c.wrong)
			}
			a.Repair("")
			a.WantVerified()
			if _, used := a.Repair(""); used.Writes+used.Deletes > 0 {
				t.Errorf("the second repair used %v", used)
			}
			a.WantJoin("r1", 1)
		})
	}
}

// Where there is no horizon, no relation may expire.
func TestNoRelationExpiresWithoutAHorizon(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Follow("r1", "ada")
	a.AgedPost("p", "ada", testkit.VeryOld)
	a.Settle()
	if r := a.Data("_relations/p_00001"); r["expireAt"] != nil {
		t.Errorf("the relation expires at %v", r["expireAt"])
	}
	a.Must(a.Client.Doc("_relations/p_00001").Update(t.Context(), []firestore.Update{{Path: "expireAt", Value: time.Now()}}))
	if found := a.Violations(); len(found) != 1 {
		t.Errorf("verify finds %v, want that it expires", found)
	}
	a.Repair("")
	a.WantVerified()
}
