//go:build long

package prices_test

import (
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// takes reports whether an item takes those beyond the cap with it: timelines/layout/items.go.
func takes(reader, post string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(reader + "/" + post))
	return h.Sum32()%prices.TrimEvery == 0
}

// posting returns the id of a post that takes others with it in so many of the timelines of
// followers, and of those who are named.
func posting(prefix string, followers, named []string, due, dueNamed int) string {
	of := func(readers []string, post string) (n int) {
		for _, r := range readers {
			if takes(r, post) {
				n++
			}
		}
		return n
	}
	for n := 0; ; n++ {
		if id := fmt.Sprint(prefix, n); of(followers, id) == due && of(named, id) == dueNamed {
			return id
		}
	}
}

// hold gives readers timelines with n items of somebody else.
func (a *timelineApp) hold(n int, readers ...string) {
	a.T.Helper()
	documents := map[string]map[string]any{}
	for _, r := range readers {
		for i := range n {
			p := fmt.Sprintf("held%04d", i)
			documents["users/"+r+"/timeline/"+p] = map[string]any{"post": p, "author": "b", "audience": "b", "at": i, "posts": []string{p}, "accounts": []string{"b"}}
		}
	}
	testkit.Write(a.T, a.Client, documents)
}

// The meter takes a count for one read, whatever is counted: timelines are small here.
func TestFormulasOfPostsInItemsWithACap(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit, held          int
		followers, due       int
		named, dueNamed, off int
	}{
		{limit: 4, held: 7, followers: 3, due: 0, named: 1, dueNamed: 0, off: 1},
		{limit: 4, held: 0, followers: 2, due: 1, off: 1},                                 // an empty timeline
		{limit: 4, held: 4, followers: 3, due: 1, named: 1, dueNamed: 1, off: 1},          // nothing is too many
		{limit: 4, held: 7, followers: 4, due: 2, named: 2, dueNamed: 1},                  // beside relations
		{limit: 4, held: 7, followers: 9, due: 2, named: 2, dueNamed: 1, off: 1},          // a job
		{limit: 4, held: 130, followers: 1, due: 1, named: 1, dueNamed: 1, off: 1},        // more than go at a time
		{limit: 4, held: 7, followers: 36, due: 4, named: 0, dueNamed: 0, off: 1},         // a job of two pages
		{limit: 4, held: 1, followers: inline + 1, due: 1, named: 1, dueNamed: 1, off: 1}, // below the cap
	} {
		t.Run(fmt.Sprintf("%d of %d, %d of %d followers, %d of %d named", test.held, test.limit, test.due, test.followers, test.dueNamed, test.named), func(t *testing.T) {
			t.Parallel()
			a := newTimelineApp(t, schema.Config{NoOwnPosts: true, Feeds: schema.FeedsOf("items", test.off != 1), Cap: test.limit, Capacity: 6, InlineLimit: inline})
			a.x.Beside.Recipients = test.named
			named := []string{"n0", "n1"}[:test.named]
			followers := a.crowd("author", test.followers)
			a.hold(test.held, followers...)
			a.hold(test.held, named...)
			others := a.crowd("g_other", 2)
			a.hold(test.held, others...)
			of := func(n, due int) prices.Readers {
				return prices.Readers{All: n, Due: float64(due), Held: float64(test.held)}
			}
			all, allNamed := of(test.followers, test.due), of(test.named, test.dueNamed)
			p := posting("p", followers, named, test.due, test.dueNamed)
			a.wantCost("a post", a.x.Post(all, allNamed), oneWrite, func() { a.PostTo(p, "author", "author", future, named...) })
			if test.off == 1 && test.followers <= inline {
				a.wantCost("the same event", a.x.Again(all, allNamed), wire.Counts{}, func() {
					a.again("OnPostWritten", "posts/"+p)
				})
			}
			a.wantCost("an edit", a.x.Edit(all, allNamed), oneWrite, func() { a.Edit(p, firestore.Update{Path: "text", Value: "two"}) })
			a.wantCost("a deletion", a.x.Delete(all, allNamed), oneDelete, func() { a.DeletePost(p) })
			if test.off == 1 && test.named == 0 {
				p = posting("q", append(followers, others...), nil, 1, 0)
				for !takes(others[0], p) && !takes(others[1], p) {
					p = posting(p+"q", append(followers, others...), nil, 1, 0)
				}
				a.PostTo(p, "author", "author", future.Add(time.Hour))
				a.Settle()
				a.wantCost("another audience", a.x.Move(of(test.followers, 0), of(2, 1)), oneWrite, func() { a.Edit(p, firestore.Update{Path: "audience", Value: "g_other"}) })
			}
		})
	}
}

func TestFormulasOfFollowsInItemsWithACap(t *testing.T) {
	t.Parallel()
	const limit, reader = 9, "reader"
	for _, test := range []struct {
		held, posts, inline int
		due                 []int // of the posts that come, no two in one transaction
	}{
		{held: 12, posts: 3, inline: inline, due: []int{1}},
		{held: 9, posts: 3, inline: inline, due: []int{0}}, // nothing is too many
		{held: 3, posts: 4, inline: inline, due: []int{3}},
		{held: 12, posts: 8, inline: inline, due: []int{1, 5}}, // a job of pages of 3, of which it brings four and two
		{held: 5, posts: 9, inline: inline, due: []int{5, 8}},
		{held: 12, posts: 12, inline: inline, due: []int{0, 7}}, // nine come
		{held: limit * 7, posts: 60, inline: 100, due: []int{3, 30, 59}},
		{held: limit, posts: 60, inline: 100, due: []int{10, 26}},
	} {
		t.Run(fmt.Sprintf("%d held, %d posts, %v", test.held, test.posts, test.due), func(t *testing.T) {
			t.Parallel()
			cfg := schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Cap: limit, Backfill: limit, Capacity: 2, InlineLimit: test.inline}
			if test.inline > inline { // three transactions of 25
				cfg.Cap, cfg.Backfill = 7*limit, 7*limit
			}
			a := newTimelineApp(t, cfg)
			a.Profile("author", map[string]any{"name": "A"})
			due := make([]float64, min(test.posts, cfg.Cap))
			for _, n := range test.due {
				due[n] = 1
			}
			for i := range test.posts {
				takes := 0
				if n := i - test.posts + len(due); n >= 0 {
					takes = int(due[n])
				}
				a.Post(posting(fmt.Sprintf("p%02d-", i), []string{reader}, nil, takes, 0), "author", day.AddDate(0, 0, i))
			}
			a.Settle()
			a.hold(test.held, reader)
			a.Follow("another", "author")
			a.Settle()
			of := prices.Timeline{Entries: test.held, PerDay: 1, Due: due}
			a.wantCost("a follow", a.x.Follow(test.posts, test.posts, of, 1), oneWrite, func() { a.Follow(reader, "author") })
			a.wantCost("an unfollow", a.x.Unfollow(test.posts, a.documentsOf(reader, "author")), oneDelete, func() { a.Unfollow(reader, "author") })
		})
	}
}
