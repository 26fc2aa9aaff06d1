package estimate

import (
	"math"
	"slices"

	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

// What readers decide, and what comments lift.

// mostRebuilt is how many posts a rebuild brings to a timeline without a cap.
const mostRebuilt = 10_000

// decided are operations of readers and commenters, where the inputs have these.
func (in Inputs) decided(x prices.Timelines) (all []billed) {
	if in.Settings {
		followers, others := in.readers(x)
		first, rest := in.halves(x)
		back := int(min(float64(in.mostRebuilt()), math.Round(in.Posts*float64(in.Following)*daysAMonth)))
		reaching := in.reaching()
		reaching.Accounts = 1
		returned := reaching
		returned.Accounts, returned.Newer = max(1, in.Following), true
		all = []billed{
			{"edit of a post's kind", x.EditKind(followers, others)},
			{"a reader hides the author", x.Filter(in.own(x), first, rest)},
			{"shows the author again", x.Rebuild(in.kept(), reaching, in.whole(x, in.kept()), perDay(in.Posts))},
			{"returns after a month", x.Rebuild(back, returned, in.whole(x, back), in.readerPerDay())},
			{"hides a post in the timeline", x.HidePost(true, true)},
			{"shows the post again", x.ShowPost(true)},
			{"writes seenAt", x.Seen()},
		}
	}
	if in.Ranked && in.Layout == schema.LayoutItems {
		n := int(in.Followers)
		all = append(all, billed{"comment by who has as many followers", x.Comment(prices.Lifted{Followers: n, Audience: n, Both: n, Lower: n})})
	} else if in.Ranked {
		all = append(all, billed{"comment by who has as many followers", prices.Counts{}})
	}
	return all
}

// billed is an operation with what it costs.
type billed struct {
	name string
	bill prices.Counts
}

func (in Inputs) mostRebuilt() int {
	if limit := in.limit(); limit > 0 {
		return min(limit, mostRebuilt)
	}
	return mostRebuilt
}

// reaching is what a rebuild finds of a reader who follows authors like this one, whose posts are
// mixed. A query finds none that is older than enough of those before it.
func (in Inputs) reaching() prices.Reaching {
	r, most := prices.Reaching{Follows: in.Following, Found: []int{0}}, in.mostRebuilt()
	for n := range in.Following {
		found := min(in.KeptPosts, most)
		if before := n * in.KeptPosts; before >= most {
			found = min(found, int(float64(most)/float64(n)))
		}
		r.Found = append(r.Found, found)
	}
	return r
}

// halves are documents, of those that a handler lists and of others.
func (in Inputs) halves(x prices.Timelines) (first, others prices.Readers) {
	have, all := in.documents(x), in.own(x)
	if all == 0 {
		return prices.Readers{}, have
	}
	return have.Split(min(all, x.Beside.InlineLimit) * have.All / all)
}

// whole is a reader's timeline of authors like this one, which gets n posts.
func (in Inputs) whole(x prices.Timelines, n int) prices.Timeline {
	t := prices.Timeline{Entries: in.own(x), PerDay: in.readerPerDay()}
	switch {
	case x.Layout == schema.LayoutBuckets:
		t.Entries *= x.Bucket
	case x.Layout == schema.LayoutDays:
		t.Entries *= t.PerDay
	case x.Cap > 0:
		t.Due = slices.Repeat([]float64{1.0 / prices.TrimEvery}, n)
	}
	return t
}
