package estimate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

// Layouts are those of timelines, in the order of reports.
var Layouts = []string{schema.LayoutItems, schema.LayoutBuckets, schema.LayoutDays}

// maxBackfill is the most posts that a new follower gets of timelines.
const maxBackfill = 1000

// timelines is what operations cost with the inputs' layout. Entries of the inputs' size may
// close a bucket before it is full.
func (in Inputs) timelines() prices.Timelines {
	x := prices.Timelines{Beside: in.index(), Capacity: in.idsPerDocument(), Settings: in.Settings}
	x.Layout, x.Bucket, x.Backfill = in.Layout, min(in.Bucket, max(1, int(prices.MaxBucketBytes/in.timelineEntry()))), min(in.Backfill, maxBackfill)
	x.Ranked = in.Ranked && in.Layout == schema.LayoutItems
	if x.Cap = in.limit(); in.Layout == schema.LayoutBuckets {
		x.Cap = x.Cap / in.Bucket * x.Bucket
	}
	if in.Cap > 0 { // as the configuration has it, also beside days, so that layouts can be compared
		x.Backfill = min(x.Backfill, in.Cap, cmp.Or(x.Cap, in.Cap))
	}
	x.Beside.Off = in.RelationsOff
	return x
}

// onWrite are the inputs of fan-out on write, as timelines.
func (in Inputs) onWrite() Inputs {
	in.Layout, in.Cap, in.Horizon, in.RelationsOff, in.Settings, in.Ranked = schema.LayoutItems, 0, 0, true, false, false
	return in
}

// limit is how many entries the inputs' layout keeps, at least; 0: all. Of buckets it is whole ones.
func (in Inputs) limit() int {
	switch in.Layout {
	case schema.LayoutItems:
		return in.Cap
	case schema.LayoutBuckets:
		return in.KeptInBuckets()
	}
	return 0
}

// KeptInBuckets is the cap of buckets: Cap, or the next multiple of Bucket.
func (in Inputs) KeptInBuckets() int { return prices.Parts(in.Cap, in.Bucket) * in.Bucket }

// perDay is how many posts a day has that has any.
func perDay(posts float64) int { return int(max(1, math.Round(min(posts, 5000)))) }

// readerPerDay is how many entries of a day a reader has, who follows authors like this one.
func (in Inputs) readerPerDay() int { return perDay(in.Posts * float64(in.Following)) }

// readers are the readers of a post, of whom some have a full bucket, or items beyond the cap. In
// the mean, so many items come from one that takes others with it to the next.
func (in Inputs) readers(x prices.Timelines) (followers, named prices.Readers) {
	of := func(n int) prices.Readers {
		r := prices.Readers{All: n}
		if x.Layout == schema.LayoutBuckets {
			r.Full = float64(n) / float64(x.Bucket)
		}
		if x.Layout == schema.LayoutItems && x.Cap > 0 {
			r.Due, r.Held = float64(n)/prices.TrimEvery, float64(x.Cap+prices.TrimEvery)
		}
		return r
	}
	return of(int(in.Followers)), of(in.directReaders())
}

// older is r with entries that are not in open any more; those of days may be alone.
func (in Inputs) older(x prices.Timelines, r prices.Readers) prices.Readers {
	switch {
	case x.Layout == schema.LayoutBuckets:
		return prices.Readers{All: r.All, Past: float64(r.All)}
	case x.Layout == schema.LayoutDays && in.readerPerDay() == 1:
		return prices.Readers{All: r.All, Only: float64(r.All)}
	}
	return prices.Readers{All: r.All}
}

// timeline is a reader's, with a bucket that has so many entries, or with items up to those that go.
func (in Inputs) timeline(x prices.Timelines, open int) prices.Timeline {
	closed := in.PageSize + 2
	if x.Layout == schema.LayoutItems && x.Cap > 0 {
		return prices.Timeline{Entries: x.Cap + prices.TrimEvery, Due: slices.Repeat([]float64{1.0 / prices.TrimEvery}, x.Backfill)}
	}
	return prices.Timeline{Entries: closed*x.Bucket + open, PerDay: in.readerPerDay(), Among: true}
}

// kept is how many of the author's posts a reader's timeline has. With a cap, others push
// them out.
func (in Inputs) kept() int {
	if in.limit() == 0 {
		return in.KeptPosts
	}
	return min(in.KeptPosts, prices.Parts(in.limit(), max(1, in.Following)))
}

// documents are those of a reader's timeline that have entries of the author.
func (in Inputs) documents(x prices.Timelines) prices.Readers {
	n := in.kept()
	switch x.Layout {
	case schema.LayoutBuckets:
		n = min(n, prices.Parts(n*max(1, in.Following), x.Bucket))
		return prices.Readers{All: n, Past: float64(max(0, n-1))}
	case schema.LayoutDays:
		n = prices.Parts(n, perDay(in.Posts))
	}
	return in.older(x, prices.Readers{All: n})
}

// timelinePage is a page in the mean: the open bucket has any number of entries.
func (in Inputs) timelinePage(x prices.Timelines, feed bool) (c prices.Counts) {
	page := x.Page
	if feed {
		page = x.FeedPage
	}
	if x.Layout != schema.LayoutBuckets {
		return page(in.PageSize, in.timeline(x, 0))
	}
	for open := range x.Bucket {
		c = c.Plus(page(in.PageSize, in.timeline(x, open+1)).Times(1 / float64(x.Bucket)))
	}
	return c
}

func (in Inputs) timelineDay(feed bool) day {
	x, n, related := in.timelines(), in.KeptPosts, in.related()
	t := in.timeline(x, (x.Bucket+1)/2)
	followers, named := in.readers(x)
	return day{
		x.Post(followers, named), x.Edit(prices.Readers{All: followers.All}, prices.Readers{All: named.All}), x.Delete(in.older(x, followers), in.older(x, named)),
		x.Follow(related, n, t, perDay(in.Posts)), x.FollowOpening(related, in.IndexDocuments(), n, t, perDay(in.Posts)),
		x.Unfollow(n, in.documents(x)), in.timelinePage(x, feed), in.expiry(x.Beside),
	}
}

// timelineOperations are all operations of timelines, in each layout.
func (in Inputs) timelineOperations() (all []Operation) {
	for _, layout := range Layouts {
		at := in
		at.Layout = layout
		x, n := at.timelines(), at.KeptPosts
		followers, named := at.readers(x)
		day := at.timelineDay(false)
		without := x
		without.Backfill = 0
		t := at.timeline(x, (x.Bucket+1)/2)
		older := at.older(x, followers)
		for i, op := range append([]billed{
			{"post", day[0]},
			{"post to readers without a timeline", x.Post(first(x, followers), first(x, named))},
			{"its event again", x.Again(followers, named)},
			{"edit", day[1]},
			{"edit of what nothing copies", x.EditOfNothing()},
			{"hide a post", x.Hide(older, at.older(x, named))},
			{"delete a post", day[2]},
			{"another audience, as large", x.Move(older, followers)},
			{"follow without a backfill", without.Follow(at.related(), n, t, 1)},
			{fmt.Sprintf("follow with %d posts", min(n, x.Backfill)), day[3]},
			{"unfollow", day[5]},
			{"page of a feed", day[pageOfADay]},
			{"page through Feed", at.timelinePage(x, true)},
			{"deletion of the account", x.Purge(at.account(x))},
			{"deletion of a reader's timeline", x.Purge(prices.Account{Own: at.own(x)})},
		}, at.decided(x)...) {
			if i == len(all) {
				all = append(all, Operation{op.name, map[string]prices.Counts{}})
			}
			if op.bill != (prices.Counts{}) {
				all[i].Costs[layout] = op.bill
			}
		}
	}
	return all
}

// account is the author as an account that is deleted.
func (in Inputs) account(x prices.Timelines) prices.Account {
	have, f := in.documents(x), int(in.Followers)
	have.All *= f
	have.Past *= float64(f)
	have.Only *= float64(f)
	return prices.Account{Followers: f, Posts: in.KeptPosts, Entries: have}
}

// own is how many documents a reader's timeline has, of authors like this one.
func (in Inputs) own(x prices.Timelines) int {
	n := in.KeptPosts * in.Following
	switch {
	case x.Layout == schema.LayoutBuckets && x.Cap > 0:
		return min(prices.Parts(n, x.Bucket), x.Cap/x.Bucket+1)
	case x.Layout == schema.LayoutBuckets:
		return prices.Parts(n, x.Bucket)
	case x.Layout == schema.LayoutDays:
		return prices.Parts(n, in.readerPerDay())
	case x.Cap > 0:
		return min(n, x.Cap)
	}
	return n
}

// first is r without timelines.
func first(x prices.Timelines, r prices.Readers) prices.Readers {
	if x.Layout == schema.LayoutBuckets {
		return prices.Readers{All: r.All, New: float64(r.All)}
	}
	return prices.Readers{All: r.All, Due: r.Due}
}

// The size of an entry.

// timelineEntry is an entry in a map of entries, as its document's size has it.
func (in Inputs) timelineEntry() float64 {
	size := text(postIDBytes) // its name in the map
	for _, f := range in.entryFields() {
		size += text(len(f.name)) + f.bytes
	}
	return size
}

// entryFields are an entry's. An audience is an author.
func (in Inputs) entryFields() []field {
	return []field{
		{"post", text(postIDBytes), false}, {"author", text(in.IDBytes), false}, {"audience", text(in.IDBytes), false},
		{"at", number, true}, {"fields", text(len("text")) + float64(in.CopiedBytes), false},
	}
}

// timelineDocument holds n entries.
func (in Inputs) timelineDocument(n int) stored {
	name := map[string]string{schema.LayoutItems: "01234567890123456789", schema.LayoutBuckets: "past-00000001", schema.LayoutDays: "2026-11-23"}[in.Layout]
	d := inCollection(len("users"), in.IDBytes, len("timeline"), len(name))
	d.arrays = []array{{"posts", float64(n), postIDBytes}, {"accounts", float64(min(n, max(1, in.Following))), in.IDBytes}}
	switch in.Layout {
	case schema.LayoutItems:
		d.fields = in.entryFields()
		return d
	case schema.LayoutBuckets:
		d.fields = []field{{"sequence", number, false}, {"size", number, false}, {"slots", number, false}, {"from", text(placeBytes), false}, {"to", text(placeBytes), false}}
	case schema.LayoutDays:
		d.fields = []field{{"day", text(len(name)), true}}
	}
	d.fields = append(d.fields, field{"entries", float64(n) * in.timelineEntry(), false})
	return d
}

// timelineStorage is s with the author's entries in the timelines of all readers. A document
// with others' entries counts in part.
func (in Inputs) timelineStorage(s Storage) Storage {
	n := 1
	switch in.Layout {
	case schema.LayoutBuckets:
		n = in.timelines().Bucket
	case schema.LayoutDays:
		n = in.readerPerDay()
	}
	entries := float64(int(in.Followers)+in.directReaders()) * float64(in.kept())
	return s.with(entries/float64(n), in.timelineDocument(n))
}
