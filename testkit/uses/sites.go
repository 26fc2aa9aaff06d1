package uses

import (
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// siteVariables are the variables of docs/uses/sites.md.
var siteVariables = schema.Config{
	Feeds: []string{"buckets"}, Cap: 1000, KeepOnUnfollow: true, ReaderSettings: true,
}

// acted writes activities of a site a minute apart, and waits after each.
func (a app) acted(site string, from time.Time, ids ...string) {
	a.T.Helper()
	for n, id := range ids {
		a.PostTo(id, site, site, from.Add(time.Duration(n)*time.Minute))
		a.Settle()
	}
}

// wantCounter checks the counters in a reader's open document: activities that ever came, in buckets
// of one, and activities that are there.
func (a app) wantCounter(reader string, came, there int64) {
	a.T.Helper()
	before := a.Used.Counts()
	open := a.Data("users/" + reader + "/timeline/open")
	if used := a.Used.Counts().Minus(before); open["sequence"] != came || open["total"] != there || used.Reads != 1 {
		a.T.Errorf("%s has had %v activities, of which %v are there, by %v; want %d and %d by one read", reader, open["sequence"], open["total"], used, came, there)
	}
}

func sites(w world) {
	cfg := siteVariables
	cfg.Bucket, cfg.Cap = 1, 4 // each activity has a document, and sequence counts all activities ever
	a := w.start(cfg)
	past := time.Now().Add(-6 * time.Hour)
	for _, site := range []string{"forge", "quiet", "fan"} {
		a.Profile(site, fields{"name": site})
	}
	a.followSince("fan", "forge", past.Add(-time.Hour))
	a.followSince("fan", "quiet", past.Add(-time.Hour))
	a.Settle()

	// One document for the site and one for each follower, and the follower's own activity.
	a.acted("quiet", past, "q1")
	a.acted("fan", past.Add(time.Hour), "own")
	a.acted("forge", past.Add(2*time.Hour), "f1", "f2")
	a.wantTimeline("fan", "f2", "f1", "own", "q1")
	a.wantTimeline("forge", "f2", "f1")
	a.wantCounter("fan", 4, 4)

	// The ring overwrites the oldest activity, and deletes nothing. The quiet site's feed is unchanged.
	a.acted("forge", past.Add(3*time.Hour), "f3", "f4")
	a.wantCost("an activity in two full feeds", 25, 4, func() { a.acted("forge", past.Add(4*time.Hour), "f5") })
	a.wantTimeline("fan", "f5", "f4", "f3", "f2")
	a.wantTimeline("quiet", "q1")
	a.wantCounter("fan", 7, 5) // the newest four, and the next one to be overwritten
	if n := a.Count("users/fan/timeline"); n != 5 {
		a.T.Errorf("the feed of fan has %d documents, want 5", n)
	}
	page, used := a.timeline("fan", 3)
	if !slices.Equal(page, []string{"f5", "f4", "f3"}) || used.Reads != 4 {
		a.T.Errorf("a page has %v and costs %v, want three, with a read for open and for each", page, used)
	}

	// A new follower gets the activities after the follow. A follower who leaves keeps earlier ones.
	a.Follow("late", "forge")
	a.Settle()
	a.wantTimeline("late")
	a.acted("forge", later.Add(5*time.Hour), "f6")
	a.wantTimeline("late", "f6")
	a.Unfollow("late", "forge")
	a.Settle()
	a.acted("forge", later.Add(6*time.Hour), "f7")
	a.wantTimeline("late", "f6")
	a.wantTimeline("fan", "f7", "f6", "f5", "f4")

	// A follower hides an activity in their own feed only.
	a.set("users/fan/hidden/f6", fields{"createdAt": firestore.ServerTimestamp})
	a.Settle()
	a.wantTimeline("fan", "f7", "f5", "f4")
	a.wantTimeline("forge", "f7", "f6", "f5", "f4")
	a.wantTimeline("late", "f6")
	a.remove("users/fan/hidden/f6")
	a.Settle()
	a.wantTimeline("fan", "f7", "f6", "f5", "f4")
	a.wantSound()
}

// When the functions start, a site has more activities than a feed keeps.
func sitesOfTheNewestThousand(w world) {
	cfg, limit := siteVariables, siteVariables.Cap
	cfg.Backfill = limit
	a := app{stories.Open(w.t, w.m), w}
	writer := a.Client.BulkWriter(w.t.Context())
	ids := make([]string, limit+5)
	for n := range ids {
		ids[n] = fmt.Sprintf("f%04d", n)
		if _, err := writer.Create(a.Client.Doc("posts/"+ids[n]), fields{
			"userId": "forge", "audience": "forge", "hidden": false, "createdAt": later.Add(time.Duration(n) * time.Minute),
		}); err != nil {
			w.t.Fatal(err)
		}
	}
	writer.End()
	a.Start(cfg)
	a.Follow("fan", "forge")
	a.Settle()
	a.Start(siteVariables) // follows bring only new activities from now on
	newest := func(ids []string) []string {
		page := slices.Clone(ids[len(ids)-limit:])
		slices.Reverse(page)
		return page
	}
	a.wantTimeline("fan", newest(ids)...)
	a.wantCounter("fan", 20, int64(limit))
	a.acted("forge", later.AddDate(0, 0, 1), "new1", "new2")
	a.wantTimeline("fan", newest(append(ids, "new1", "new2"))...)
	a.wantCounter("fan", 21, int64(limit)+2) // the limit, and at most a bucket more
	page, used := a.timeline("fan", 50)
	if len(page) != 50 || used.Reads != 2 {
		a.T.Errorf("a page has %d activities and costs %v, want 50 with two reads", len(page), used)
	}
}
