package prices

import (
	"fmt"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Timeline describes the timeline of one reader.
type Timeline struct {
	Entries int // entries in the timeline
	Gone    int // entries removed from buckets, which come again. Empty buckets stay, except open before any bucket was closed
	PerDay  int // entries of each day, in the layout of days
	// Due says for each post of a backfill, oldest first, whether its item trims the timeline: 1, 0, or a
	// mean share. Missing posts are 0.
	Due []float64
	// Among says that the posts of a backfill are spread among the entries; false: they are older than all entries.
	Among bool
}

// open returns the sequence of the open bucket, and the number of its entries.
func (x Timelines) open(t Timeline) (sequence, entries int) {
	sequence = max(1, Parts(t.Entries+t.Gone, x.Bucket))
	return sequence, max(0, t.Entries-(sequence-1)*x.Bucket)
}

// Follow returns the cost of a follow by a reader with a timeline. The author has all posts, perDay a day, and
// n of them have relations.
func (x Timelines) Follow(n, all int, t Timeline, perDay int) Counts {
	return x.Beside.Follow(n).Plus(x.backfill(all, t, perDay))
}

// FollowOpening returns the cost of a follow that opens an index document. The author has k before.
func (x Timelines) FollowOpening(n, k, all int, t Timeline, perDay int) Counts {
	return x.Beside.FollowOpening(n, k).Plus(x.backfill(all, t, perDay))
}

// backfill returns the cost of bringing the newest of n posts, oldest first.
func (x Timelines) backfill(n int, t Timeline, perDay int) Counts {
	n = min(n, x.Backfill)
	b := x.backfilling(n, t, perDay, false)
	c := query(n)
	if n <= x.Beside.InlineLimit {
		return c.Plus(b.bring(0, n))
	}
	c = c.Plus(readEdge, jobOnce)
	if x.KeepOnUnfollow {
		c = c.Plus(readBlock.Times(2))
	} else {
		c = c.Plus(query(0)) // phase removal: there are no entries of an earlier follow
	}
	for from := 0; from < n; from += x.Beside.Chunk {
		c = c.Plus(readEdge, query(n), b.bring(from, min(n, from+x.Beside.Chunk)))
	}
	return c
}

// backfill is a backfill in progress.
type backfill struct {
	Timelines
	before Timeline
	perDay int
	held   float64 // items in the timeline
	// accounts is the number of accounts that the posts of a transaction are for.
	accounts int
	optional bool          // posts may be left out
	n        int           // posts that come
	trial    *layout.Trial // buckets
}

// backfilling begins to bring n posts to a timeline. The posts are newer than its entries, or as t.Among says.
func (x Timelines) backfilling(n int, t Timeline, perDay int, newer bool) *backfill {
	b := &backfill{Timelines: x, before: t, perDay: perDay, held: float64(t.Entries), accounts: 1, n: n, optional: true}
	if !x.buckets() {
		return b
	}
	before := make([]layout.Entry, t.Entries)
	for i := range before {
		before[i] = layout.Entry{Post: fmt.Sprint("before", i), At: int64(i) * apart}
		switch {
		case newer:
			before[i].At -= int64(len(before)) * apart
		case !t.Among:
			before[i].At += int64(n) * apart
		}
	}
	b.trial = layout.NewTrial(layout.Ring{Size: x.Bucket, Slots: int64(x.Cap / x.Bucket)}, x.light() > 0, before)
	for i := range t.Gone {
		b.trial.Add([]layout.Entry{b.entry(i)}, false)
	}
	for i := range t.Gone {
		b.trial.Remove(b.entry(i).Post)
	}
	return b
}

// apart is the distance between the times of neighbouring entries in a trial.
const apart = 1 << 20

// entry returns the post with number i of those that come.
func (b *backfill) entry(i int) layout.Entry {
	e := layout.Entry{Post: fmt.Sprint("post", i), At: int64(i) * apart}
	if b.before.Among { // spread from the oldest entry to the newest
		e.At = int64(i)*apart*int64(b.before.Entries)/int64(b.n) + 1
	}
	return e
}

// bring returns the cost of bringing the posts from one number to another, in transactions.
func (b *backfill) bring(from, to int) (c Counts) {
	for ; from < to; from += backfillBatch {
		end := min(to, from+backfillBatch)
		n := end - from
		each := readPost.Plus(b.lifting())
		if b.Settings {
			c = c.Plus(readDecided)
			each = each.Plus(readHidden)
		}
		c = c.Plus(readEdge.Times(float64(min(n, b.accounts))), each.Times(float64(n)), b.layout(from, end))
	}
	return c
}

// layout returns the layout's part of the cost of bringing the posts of one transaction.
func (b *backfill) layout(from, to int) Counts {
	switch b.Layout {
	case schema.LayoutItems:
		return reads(to-from).Plus(writes(to-from), b.fit(), b.trim(from, to))
	case schema.LayoutDays:
		days := (to-1)/b.perDay - from/b.perDay + 1
		return reads(days).Plus(writes(days))
	}
	entries := make([]layout.Entry, 0, to-from)
	for i := from; i < to; i++ {
		entries = append(entries, b.entry(i))
	}
	read, written := b.trial.Add(entries, b.optional)
	return reads(read).Plus(writes(written))
}

// fit returns the cost of the reads of Add before optional items.
func (b *backfill) fit() Counts {
	if b.Cap == 0 || !b.optional {
		return Counts{}
	}
	c := counted(int(b.held))
	if b.held >= float64(b.Cap) {
		c = c.Plus(readItem)
	}
	return c
}

// trim returns the cost of the trims by the items from one number to another. They come in one transaction.
func (b *backfill) trim(from, to int) Counts {
	due := 0.0
	for _, share := range b.before.Due[min(from, len(b.before.Due)):min(to, len(b.before.Due))] {
		due += share
	}
	due = min(1, due) // an Addition trims at most once
	c := b.trims(due, b.held)
	b.held += float64(to-from) - due*b.over(b.held)
	return c
}

// Unfollow returns the cost of the end of a follow of an author with n posts that have relations. have are
// the documents of the reader with entries of the author.
func (x Timelines) Unfollow(n int, have Readers) Counts {
	c := x.Beside.Unfollow(n)
	if x.KeepOnUnfollow {
		return c.Plus(readBlock.Times(2))
	}
	first := have.some(x.Beside.InlineLimit)
	c = c.Plus(x.without(first, 1, readEdge))
	if have.All < x.Beside.InlineLimit {
		return c
	}
	c = c.Plus(readEdge, jobOnce, readEdge) // phase backfill: the reader does not follow
	return c.Plus(pages(have.All-first.All, x.Beside.Chunk, func(page int) Counts {
		return x.without(have.some(page), 1, readEdge)
	}))
}

// Page returns the cost of a page with this number of posts, read by a client.
func (x Timelines) Page(posts int, t Timeline) Counts {
	switch x.Layout {
	case schema.LayoutItems:
		return query(min(posts, t.Entries))
	case schema.LayoutDays:
		return pageOfDays(posts, t)
	}
	sequence, found := x.open(t)
	if found > posts {
		return readOpen
	}
	closed := min(sequence-1, (posts-found)/x.Bucket+1)
	if x.Cap > 0 {
		closed = min(closed, x.Cap/x.Bucket)
	}
	return readOpen.Plus(reads(closed))
}

// pageOfDays reads one day, and then as many days together as the rest of the page needs, up to daysAtOnce.
func pageOfDays(posts int, t Timeline) (c Counts) {
	left, found, n := Parts(t.Entries, t.PerDay), 0, 1
	for {
		c = c.Plus(query(min(left, n)))
		if found += n * t.PerDay; found >= posts || left < n {
			return c
		}
		left, n = left-n, min(daysAtOnce, Parts(posts-found, t.PerDay))
	}
}

// FeedPage returns the cost of a page with this number of posts through the function Feed.
func (x Timelines) FeedPage(posts int, t Timeline) Counts {
	return served(x.Page(posts, t), posts)
}
