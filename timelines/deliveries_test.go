package timelines_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex"

	"example.com/relationindex/accounts"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The whole cycle behind real triggers, for each layout, with relations and without.
func TestTimelines(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"items beside relations":         {NoOwnPosts: true, Feeds: []string{"relations", "items"}, Backfill: 100},
		"buckets alone":                  {NoOwnPosts: true, Feeds: []string{"buckets"}, Backfill: 100},
		"a ring of four buckets of one":  {NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 1, Cap: 4, Backfill: 4},
		"days beside relations, by jobs": {NoOwnPosts: true, Feeds: []string{"relations", "days"}, Backfill: 100, InlineLimit: 1, Chunk: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, cfg)
			a.Must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"name": "x"}))
			a.Post("p1", "author", stories.Day)
			a.Settle()
			a.FollowSince("r1", "author", stories.Day.Add(30*time.Minute)) // the backfill brings p1
			a.FollowSince("r2", "author", stories.Day.Add(30*time.Minute))
			a.Settle()
			a.WantTimeline("r1", "p1")
			a.Post("p2", "author", stories.Day.Add(time.Hour))
			a.Settle()
			a.Post("p3", "author", stories.Day.Add(48*time.Hour))
			a.Settle()
			a.WantTimeline("r1", "p3", "p2", "p1")
			a.Must(a.Client.Doc("posts/p2").Update(t.Context(), []firestore.Update{{Path: "kind", Value: "photo"}}))
			a.Settle()
			if e := a.Timeline("r1")[1]; e.Kind != "photo" {
				t.Errorf("the entry of an edited post is %+v", e)
			}
			a.Must(a.Client.Doc("posts/p2").Update(t.Context(), []firestore.Update{{Path: "hidden", Value: true}}))
			a.Settle()
			a.WantTimeline("r1", "p3", "p1")
			a.Unfollow("r1", "author")
			a.Settle()
			a.WantTimeline("r1")
			a.WantTimeline("r2", "p3", "p1")
			a.Must(a.Client.Doc("posts/p1").Delete(t.Context()))
			a.Settle()
			a.WantTimeline("r2", "p3")
			a.Must(a.Client.Doc("users/r3").Set(t.Context(), map[string]any{"name": "y"}))
			a.Follow("r3", "author")
			a.Settle()
			a.PostTo("p4", "other", "", stories.Day, "r3")
			a.Settle()
			if len(a.Timeline("r3")) != 2 {
				t.Errorf("the timeline of r3 has %v", a.Timeline("r3"))
			}
			for _, account := range []string{"r3", "author"} {
				a.Must(a.Client.Doc("users/" + account).Delete(t.Context()))
				a.Settle()
				err := a.Instance().Accounts.Traces(t.Context(), account, func(trace accounts.Trace) { t.Errorf("%s is named by %v", account, trace) }, nil)
				if err != nil {
					t.Error(err)
				}
			}
			a.WantTimeline("r2")
			if !cfg.Relations() {
				if docs, err := a.Client.Collection("_relations").Documents(t.Context()).GetAll(); err != nil || len(docs) > 0 {
					t.Errorf("%d relations, %v; want none", len(docs), err)
				}
			}
		})
	}
}

// Timelines that are turned on again name no purged account, in any layout. The same holds for relations.
func TestPurgeCleansDeliveriesThatAreOff(t *testing.T) {
	t.Parallel()
	for name, layouts := range map[string][]string{"timelines": {"items", "buckets", "days"}, "relations": {""}} {
		for _, on := range layouts {
			t.Run(name+" "+on, func(t *testing.T) {
				t.Parallel()
				a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: schema.FeedsOf(on, on == "")})
				a.Profile("author", map[string]any{"name": "x"})
				a.Profile("r1", map[string]any{"name": "y"})
				a.Follow("r1", "author")
				a.Follow("author", "other")
				a.Settle()
				a.Post("p1", "author", stories.Day)
				if on != "" { // of relations, the event of the change takes it away
					a.PostTo("p2", "other", "", stories.Day, "author")
				}
				a.Settle()
				off := schema.Config{NoOwnPosts: true}
				if on == "" {
					off = schema.Config{NoOwnPosts: true, Feeds: []string{"days"}}
				}
				documents := testkit.Documents(t, a.Client, nil)
				delete(documents, "users/author")
				a = testkit.CopyOf(t, off, documents)
				a.OK(a.Worker(0).Purge(a, "author"))
				err := a.Instance().Accounts.Traces(t.Context(), "author", func(trace accounts.Trace) { t.Errorf("author is named by %v", trace) }, nil)
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A reader reads their own timeline, by name and by page. Nobody else does, and no client
// writes in it.
func TestRulesOfTimelines(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string][]byte{"direct": relationindex.FirestoreRules, "feed only": relationindex.FirestoreFeedOnlyRules} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Backfill: 100})
			a.Post("p1", "author", stories.Day)
			a.Follow("r1", "author")
			a.Settle()
			host := testkit.Machine(t).Emulator.FirestoreHost()
			testkit.SetRules(t, host, a.ID, rules)
			client, err := wire.OpenUnderRules(t.Context(), a.ID, host)
			a.OK(err)
			t.Cleanup(func() { _ = client.Close() })
			own, other := wire.As(t.Context(), testkit.Google.IDToken(a.ID, "r1", nil)), wire.As(t.Context(), testkit.Google.IDToken(a.ID, "author", nil))
			open := client.Doc("users/r1/timeline/open")
			for _, c := range []struct {
				what string
				ok   bool
				do   func(context.Context) error
			}{
				{"get", true, func(ctx context.Context) error { _, err := open.Get(ctx); return err }},
				{"list a page", true, func(ctx context.Context) error {
					_, err := client.Collection("users/r1/timeline").Limit(50).Documents(ctx).GetAll()
					return err
				}},
				{"list all", false, func(ctx context.Context) error {
					_, err := client.Collection("users/r1/timeline").Documents(ctx).GetAll()
					return err
				}},
				{"create", false, func(ctx context.Context) error {
					_, err := client.Doc("users/r1/timeline/past-00000001").Create(ctx, map[string]any{"sequence": 1})
					return err
				}},
				{"update", false, func(ctx context.Context) error {
					_, err := open.Update(ctx, []firestore.Update{{Path: "total", Value: 7}})
					return err
				}},
				{"delete", false, func(ctx context.Context) error { _, err := open.Delete(ctx); return err }},
				{"query all timelines", false, func(ctx context.Context) error {
					_, err := client.CollectionGroup("timeline").Where("posts", "array-contains", "p1").Limit(10).Documents(ctx).GetAll()
					return err
				}},
			} {
				if err := c.do(own); (err == nil) != c.ok || err != nil && status.Code(err) != codes.PermissionDenied {
					t.Errorf("the reader may %s: %v", c.what, err)
				}
				if err := c.do(other); status.Code(err) != codes.PermissionDenied {
					t.Errorf("another one may %s: %v", c.what, err)
				}
			}
		})
	}
}

// Jobs of a delivery that was turned off end without work and without an error.
func TestJobsOfDisabledDeliveriesEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cfg   schema.Config
		kind  string
		phase int
	}{
		"posts in timelines":                  {schema.Config{NoOwnPosts: true}, schema.KindTimelinePost, 0},
		"posts in timelines, in the middle":   {schema.Config{NoOwnPosts: true}, schema.KindTimelinePost, 2},
		"follows in timelines":                {schema.Config{NoOwnPosts: true}, schema.KindTimelineFollow, 0},
		"follows in timelines, in the middle": {schema.Config{NoOwnPosts: true}, schema.KindTimelineFollow, 1},

		"posts in relations": {schema.Config{NoOwnPosts: true, Feeds: []string{"items"}}, schema.KindPost, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, c.cfg)
			a.Must(a.Client.Doc("_functions/left").Set(t.Context(), map[string]any{
				"kind": c.kind, "state": "queued", "schema": chunker.Schema, "phase": c.phase, "args": map[string]any{"post": "p1"},
			}))
			a.Settle()
			if job := a.Job("left"); job.State != chunker.Done {
				t.Errorf("the job is %s with %v", job.State, job.Error)
			}
		})
	}
}

// A copied field with deeply nested maps would make an entry deeper than Firestore stores:
// the entry has no copies.
func TestEntriesOmitTooDeepCopies(t *testing.T) {
	t.Parallel()
	for _, timeline := range []string{"items", "buckets", "days"} {
		t.Run(timeline, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: schema.FeedsOf(timeline, true), CopiedFields: []string{"text"}})
			a.Profile("author", map[string]any{"name": "x"})
			a.FollowSince("r1", "author", stories.Day.Add(-time.Hour))
			a.Settle()
			depths := []int{17, 18, 20} // an item would take 19, a bucket 17
			for _, depth := range depths {
				var text any = "x"
				for range depth {
					text = map[string]any{"m": text}
				}
				a.Must(a.Client.Doc(fmt.Sprintf("posts/p%d", depth)).Set(t.Context(), map[string]any{
					"userId": "author", "createdAt": stories.Day.Add(time.Duration(depth) * time.Second), "text": text,
				}))
			}
			a.Settle()
			entries := a.Timeline("r1")
			if len(entries) != len(depths) {
				t.Fatalf("the timeline has %d of %d posts", len(entries), len(depths))
			}
			for n, e := range entries {
				if copied, depth := e.Copies != nil, depths[len(depths)-1-n]; copied != (depth == 17) {
					t.Errorf("%s, %d maps deep: copied: %t", e.Post, depth, copied)
				}
			}
		})
	}
}
