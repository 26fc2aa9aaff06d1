//go:build long

package operations

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"example.com/relationindex"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

const (
	readers  = 2
	authors  = 3
	before   = 60 // posts, three at a time
	pageSize = 10
)

func TestPagesHaveNoGapsAndNoRepeatsWhilePostsArrive(t *testing.T) {
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, FeedRate: 1_000_000})
	written := map[string]time.Time{} // the model
	post := func(id string, second int) {
		at := time.Date(2026, 11, 20, 12, 0, second, 0, time.UTC)
		a.Post(id, fmt.Sprintf("author%d", len(written)%authors), at)
		written[id] = at
	}
	url := a.URL("Feed")
	host := testkit.Machine(t).Emulator.FirestoreHost()
	testkit.SetRules(t, host, a.ID, relationindex.FirestoreRules)
	client, err := wire.OpenUnderRules(t.Context(), a.ID, host)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	readings := func() (all []*reading) {
		for i := range readers {
			uid := fmt.Sprintf("reader%d", i)
			token := testkit.Google.IDToken(a.ID, uid, nil)
			for _, way := range []way{throughFeed(url, token, pageSize), directly(client, uid, token)} {
				all = append(all, &reading{way: way, of: uid, want: maps.Clone(written), seen: map[string]bool{}})
			}
		}
		return all
	}
	for author := range authors {
		for reader := range readers {
			a.Follow(fmt.Sprintf("reader%d", reader), fmt.Sprintf("author%d", author))
		}
	}
	for i := range before {
		post(fmt.Sprintf("before%02d", i), i/3)
	}
	a.Settle()

	arrived, late := 0, 0
	ways := readings()
	for ended := 0; ended < len(ways); {
		ended = 0
		for _, r := range ways {
			if r.ended {
				ended++
				continue
			}
			r.page(t)
			second := before/3 + arrived // the top
			if arrived%3 > 0 {
				second = arrived % (before / 3) // in between
			}
			post(fmt.Sprintf("meanwhile%02d", arrived), second)
			a.Settle()
			arrived++
		}
	}
	for _, r := range ways {
		late += r.others
	}
	t.Logf("%d readings of %d posts while %d arrived; %d times one of those was seen", len(ways), before, arrived, late)
	if late == 0 {
		t.Error("nobody saw a post that came meanwhile: the test shows nothing")
	}

	// When all is quiet, everything is there.
	for _, r := range readings() {
		for !r.ended {
			r.page(t)
		}
		if r.others != 0 {
			t.Errorf("%s of %s in the end: %d posts too many", r.name, r.of, r.others)
		}
	}
}
