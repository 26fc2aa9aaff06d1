//go:build long

package operations

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A feed of so many posts is read to its end by so many readers.
const (
	feedPosts   = 2000
	feedReaders = 20
	arriving    = 500 // posts
	leaving     = 100 // posts
	changing    = 100 // follows
	feedLimit   = 50
	feedRounds  = 10 // in which these are spread
)

func TestPagesBeyondHorizonReachFeedEnd(t *testing.T) {
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, FeedRate: 1_000_000, Horizon: time.Hour, PostsFilled: true})
	audiences := []string{"ada", "bob", "eve", "zoe", "g_team", "g_club"} // whom all follow
	others := []string{"kim", "lea", "mia"}                               // whom some follow and leave
	for _, group := range []string{"g_team", "g_club"} {
		a.Group(group, "ada")
	}
	first := time.Now().Add(-3 * time.Hour).Truncate(time.Second) // the last is 47 minutes old
	at := func(n int) time.Time { return first.Add(time.Duration(n) * 20 * time.Second) }
	fields := func(audience string, n int) map[string]any {
		author := audience
		if audience[:2] == "g_" {
			author = "ada"
		}
		return map[string]any{"userId": author, "audience": audience, "hidden": false, "createdAt": at(n)}
	}
	type written struct {
		id     string
		fields map[string]any
	}
	var before []written
	want := map[string]time.Time{} // what is there all the time
	for i := range feedPosts {
		w := written{fmt.Sprintf("p%04d", i), fields(audiences[i*7%len(audiences)], i/5)} // five of each time
		if before = append(before, w); i%(feedPosts/leaving) > 0 {
			want[w.id] = at(i / 5)
		}
	}
	for i := range 100 {
		before = append(before, written{fmt.Sprintf("o%04d", i), fields(others[i%len(others)], 4*i)})
	}
	write := func(w *firestore.BulkWriter, p written) (*firestore.BulkWriterJob, error) {
		return w.Set(a.Client.Doc("posts/"+p.id), p.fields)
	}
	if err := testkit.WriteEach(t.Context(), a.Client, before, write); err != nil {
		t.Fatal(err)
	}
	a.Register()
	var readings []*reading
	url := a.URL("Feed")
	for i := range feedReaders {
		uid := fmt.Sprintf("reader%02d", i)
		for _, audience := range audiences {
			a.Follow(uid, audience)
		}
		readings = append(readings, &reading{way: throughFeed(url, testkit.Google.IDToken(a.ID, uid, nil), feedLimit), of: uid, want: want, seen: map[string]bool{}})
	}
	a.Settle()
	if n := a.Count("_relations"); n < feedPosts/10 || n > feedPosts*9/10 {
		t.Errorf("%d relations of %d posts, want those of some", n, feedPosts)
	}

	for round, reading := 0, feedReaders; reading > 0; round++ {
		var group errgroup.Group
		group.SetLimit(4)
		if round < feedRounds {
			group.Go(func() error { // beside the pages
				var now []written
				for i := round * arriving / feedRounds; i < (round+1)*arriving/feedRounds; i++ {
					now = append(now, written{fmt.Sprintf("n%04d", i), fields(append(audiences, others...)[i%9], i*37%(feedPosts/5+50))})
				}
				return testkit.WriteEach(t.Context(), a.Client, now, write)
			})
			for i := round * leaving / feedRounds; i < (round+1)*leaving/feedRounds; i++ {
				a.DeletePost(fmt.Sprintf("p%04d", i*(feedPosts/leaving)))
			}
			for i := round * changing / feedRounds; i < (round+1)*changing/feedRounds; i++ {
				uid, other := fmt.Sprintf("reader%02d", i%feedReaders), others[i%len(others)]
				if a.Follows(uid, other) {
					a.Unfollow(uid, other)
				} else {
					a.Follow(uid, other)
				}
			}
		}
		reading = 0
		for _, r := range readings {
			if r.ended {
				continue
			}
			reading++
			group.Go(func() error { r.page(t); return nil })
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	late := 0
	for _, r := range readings {
		late += r.others
	}
	t.Logf("%d readers have read %d posts; %d times one of those that came or went", feedReaders, len(want), late)
	if late == 0 {
		t.Error("nobody saw a post that came meanwhile: the test shows nothing")
	}
	a.Settle()
}
