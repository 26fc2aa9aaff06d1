package uses

import (
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// publish writes an item of a kind, dated to a day of January.
func (a app) publish(id, author, kind string, day int) {
	a.T.Helper()
	a.set("posts/"+id, fields{
		"userId": author, "audience": author, "hidden": false, "kind": kind,
		"createdAt": stories.Day.AddDate(0, 0, day-1).Add(12 * time.Hour),
	})
}

// wantDays checks a reader's documents of some days, by their names, at one read each.
func (a app) wantDays(reader string, want map[string][]string) {
	a.T.Helper()
	var refs []*firestore.DocumentRef
	for day := range want {
		refs = append(refs, a.Client.Doc("users/"+reader+"/timeline/"+day))
	}
	before := a.Used.Counts()
	docs, err := a.Client.GetAll(a.T.Context(), refs)
	if err != nil {
		a.T.Fatal(err)
	}
	if used := a.Used.Counts().Minus(before); used.Reads != int64(len(want)) {
		a.T.Errorf("%d days cost %v", len(want), used)
	}
	for _, doc := range docs {
		var got []string
		entries, _ := doc.Data()["entries"].(fields)
		for post := range entries {
			got = append(got, post)
		}
		slices.Sort(got)
		if !slices.Equal(got, want[doc.Ref.ID]) {
			a.T.Errorf("%s of %s has %v, want %v", doc.Ref.ID, reader, got, want[doc.Ref.ID])
		}
	}
}

// filterVariables are the variables of docs/uses/filtered-timeline.md.
var filterVariables = schema.Config{NoOwnPosts: true, Feeds: []string{"days"}, Backfill: 100, ReaderSettings: true}

func timelineWithoutFarmville(w world) {
	cfg := filterVariables
	cfg.Backfill = 3
	a := w.start(cfg)
	for _, author := range []string{"rohit", "maya", "nina"} {
		a.Profile(author, fields{"name": author})
	}
	for _, follow := range [][2]string{{"oren", "rohit"}, {"oren", "maya"}, {"gal", "rohit"}} {
		a.followSince(follow[0], follow[1], stories.Day)
	}
	a.Settle()

	// Each day has a document.
	a.publish("r-farm-1", "rohit", "farmville", 1)
	a.publish("r-photo-1", "rohit", "photo", 1)
	a.publish("m-farm-2", "maya", "farmville", 2)
	a.Settle()
	a.wantDays("oren", map[string][]string{"2026-01-01": {"r-farm-1", "r-photo-1"}, "2026-01-02": {"m-farm-2"}})

	// Farmville is hidden from Rohit, and stays from Maya. The decision applies to items that are there.
	a.decide("oren", []string{"rohit/farmville"}, nil)
	a.Settle()
	a.wantDays("oren", map[string][]string{"2026-01-01": {"r-photo-1"}, "2026-01-02": {"m-farm-2"}})
	a.wantDays("gal", map[string][]string{"2026-01-01": {"r-farm-1", "r-photo-1"}, "2026-01-02": nil})
	// The decision also applies to new items: a write for a reader who sees the kind, none for one who
	// hides it. A backdated item costs one more read for each reader, to check that the follow is older.
	a.wantCost("an item that one of two wants", 12, 1, func() { a.publish("r-farm-3", "rohit", "farmville", 3) })
	a.publish("m-farm-3", "maya", "farmville", 3)
	a.publish("r-photo-3", "rohit", "photo", 3)
	a.Settle()
	a.wantTimeline("oren", "r-photo-3", "m-farm-3", "m-farm-2", "r-photo-1")
	a.wantTimeline("gal", "r-photo-3", "r-farm-3", "r-photo-1", "r-farm-1")

	// Farmville is hidden from all but Maya; then shown from all again.
	a.decide("oren", []string{"*/farmville"}, []string{"maya/*"})
	a.Settle()
	a.wantTimeline("oren", "r-photo-3", "m-farm-3", "m-farm-2", "r-photo-1")
	a.decide("oren", nil, nil)
	a.Settle()
	a.wantTimeline("oren", "r-photo-3", "r-farm-3", "m-farm-3", "m-farm-2", "r-photo-1", "r-farm-1")
	a.decide("oren", []string{"*/farmville"}, nil)
	a.Settle()
	a.decide("gal", []string{"rohit/*"}, nil)
	a.Settle()
	a.wantTimeline("oren", "r-photo-3", "r-photo-1")
	a.wantTimeline("gal")

	// A follow merges the author's newest items into their days. An unfollow removes them.
	for day := range 5 {
		a.publish("n-"+string(rune('1'+day)), "nina", "photo", day+1)
	}
	a.publish("n-farm", "nina", "farmville", 5)
	a.Settle()
	a.followSince("oren", "nina", stories.Day.AddDate(0, 0, 4).Add(13*time.Hour))
	a.Settle()
	a.wantDays("oren", map[string][]string{
		"2026-01-01": {"r-photo-1"}, "2026-01-03": {"r-photo-3"}, "2026-01-04": {"n-4"}, "2026-01-05": {"n-5"},
	})
	// Items made since the follow are added. A backdated item is added to its day only if the follow is
	// older: Rohit's.
	a.publish("n-6", "nina", "photo", 6)
	a.publish("n-4b", "nina", "photo", 4)
	a.publish("r-photo-2", "rohit", "photo", 2)
	a.Settle()
	a.wantTimeline("oren", "n-6", "n-5", "n-4", "r-photo-3", "r-photo-2", "r-photo-1")
	a.Unfollow("oren", "nina")
	a.Settle()
	a.wantDays("oren", map[string][]string{
		"2026-01-02": {"r-photo-2"}, "2026-01-03": {"r-photo-3"}, "2026-01-04": nil, "2026-01-05": nil, "2026-01-06": nil,
	})
	a.wantTimeline("oren", "r-photo-3", "r-photo-2", "r-photo-1")
	a.wantSound()
}
