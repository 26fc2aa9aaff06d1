package cost

import "example.com/relationindex/schema"

// Timeline is one reader's.
type Timeline struct {
	Entries int // in it
	Gone    int // taken out of buckets: the newest ones. But for the first, they stay without entries
	PerDay  int // of each day, if it has days
	// Due says of each post that a backfill brings, oldest first, whether its item takes those
	// beyond the cap with it: 1, 0, or a share in the mean. Those that are not there are 0.
	Due []float64
}

// open is the sequence of the open bucket, and how many entries it has.
func (x Timelines) open(t Timeline) (sequence, entries int) {
	sequence = max(1, Parts(t.Entries+t.Gone, x.Bucket))
	return sequence, max(0, t.Entries-(sequence-1)*x.Bucket)
}

// Follow is a follow of an author, of whose posts n have relations, by a reader with a
// timeline. all are the author's posts, each older than the reader's open bucket; they are
// perDay a day.
func (x Timelines) Follow(n, all int, t Timeline, perDay int) Counts {
	return x.Beside.Follow(n).Plus(x.backfill(all, t, perDay))
}

// FollowOpening is a follow that opens an index document of an author who has k before.
func (x Timelines) FollowOpening(n, k, all int, t Timeline, perDay int) Counts {
	return x.Beside.FollowOpening(n, k).Plus(x.backfill(all, t, perDay))
}

// backfill brings the newest of n posts, oldest first.
func (x Timelines) backfill(n int, t Timeline, perDay int) (c Counts) {
	n = min(n, x.Backfill)
	b := backfill{Timelines: x, before: t, perDay: perDay, held: float64(t.Entries), accounts: 1}
	first := min(n, x.Beside.InlineLimit)
	c = x.newest(n).Plus(b.bring(0, first))
	if first == n {
		return c
	}
	c = c.Plus(readEdge, jobStart)
	for from := 0; from < n; from += x.Beside.Chunk {
		c = c.Plus(readEdge, x.newest(n), b.bring(from, min(n, from+x.Beside.Chunk)), jobWrite)
	}
	return c.Plus(readEdge, jobWrite) // phase removal: they follow
}

// newest finds the n posts of a backfill.
func (x Timelines) newest(n int) Counts {
	if x.Backfill == 0 {
		return Counts{}
	}
	return query(n)
}

// backfill is a backfill on its way.
type backfill struct {
	Timelines
	before Timeline
	perDay int
	there  int     // so many posts are in the timeline
	held   float64 // items in it
	// accounts is whom the posts of a transaction are to.
	accounts int
	newer    bool // than open
}

// bring is the posts from one number to another, in transactions.
func (b *backfill) bring(from, to int) (c Counts) {
	for ; from < to; from += backfillBatch {
		end := min(to, from+backfillBatch)
		c = c.Plus(readEdge.Times(float64(min(end-from, b.accounts))), readPost.Times(float64(end-from)), b.layout(from, end))
		if b.Settings {
			c = c.Plus(readDecided, readHidden.Times(float64(end-from)))
		}
		b.there = max(b.there, end)
	}
	return c
}

func (b *backfill) layout(from, to int) Counts {
	added := to - max(from, min(to, b.there))
	switch b.Layout {
	case schema.LayoutItems:
		return reads(to-from).Plus(writes(added), b.trim(to-added, to))
	case schema.LayoutDays:
		days := func(from, to int) int {
			if from == to {
				return 0
			}
			return (to-1)/b.perDay - from/b.perDay + 1
		}
		return reads(days(from, to)).Plus(writes(days(to-added, to)))
	}
	sequence, entries := b.openAfter(b.there)
	c := readOpen
	if b.before.Entries+b.before.Gone+b.there == 0 {
		c = c.Plus(readSlot)
	} else if (!b.newer || b.there > 0) && (from < b.there-entries || added > 0) {
		c = c.Plus(query(b.documents(b.there))) // which of the buckets have it?
	}
	if added == 0 {
		return c
	}
	last, _ := b.openAfter(b.there + added)
	if last > sequence {
		c = c.Plus(readOpen.Times(b.light()))
	}
	return c.Plus(readSlot.Plus(writes(1)).Times(float64(last-sequence)), writes(1))
}

// trim is what the items from one number to another take with them, which come in one transaction.
func (b *backfill) trim(from, to int) Counts {
	due := 0.0
	for _, share := range b.before.Due[min(from, len(b.before.Due)):min(to, len(b.before.Due))] {
		due += share
	}
	due = min(1, due) // of one Addition, one
	c := b.trims(due, b.held)
	b.held += float64(to-from) - due*b.over(b.held)
	return c
}

// documents is how many documents of the timeline have the first n posts.
func (b *backfill) documents(n int) int {
	switch {
	case n == 0 || b.Layout == schema.LayoutItems:
		return n
	case b.Layout == schema.LayoutDays:
		return Parts(n, b.perDay)
	}
	first, _ := b.openAfter(1)
	last, _ := b.openAfter(n)
	return last - first + 1
}

// openAfter is open of a timeline that got n posts.
func (b *backfill) openAfter(n int) (sequence, entries int) {
	sequence, entries = b.open(b.before)
	closed := max(0, Parts(entries+n, b.Bucket)-1)
	return sequence + closed, entries + n - closed*b.Bucket
}

// Unfollow is the end of a follow of an author with n posts, whose entries the reader has
// in these documents.
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
	c = c.Plus(readEdge, jobStart, readEdge, jobWrite) // phase backfill: they do not follow
	return c.Plus(pages(have.All-first.All, x.Beside.Chunk, func(page int) Counts {
		return readEdge.Plus(x.without(have.some(page), 1, readEdge), jobWrite)
	}))
}

// Page is a page of so many posts, read by a client.
func (x Timelines) Page(posts int, t Timeline) Counts {
	switch x.Layout {
	case schema.LayoutItems:
		return query(min(posts, t.Entries))
	case schema.LayoutDays:
		var c Counts
		for left, found, n := Parts(t.Entries, t.PerDay), 0, 1; ; left, n = left-n, min(daysAtOnce, Parts(posts-found, t.PerDay)) {
			c = c.Plus(query(min(left, n)))
			if found += n * t.PerDay; found >= posts || left < n {
				return c
			}
		}
	}
	sequence, found := x.open(t)
	closed := sequence - 1
	if x.Cap > 0 {
		closed = min(closed, x.Cap/x.Bucket)
	}
	if found <= posts {
		closed = min(closed, (posts-found)/x.Bucket+1)
	} else {
		closed = 0
	}
	return readOpen.Plus(reads(closed))
}

// FeedPage is a page of so many posts through the function Feed.
func (x Timelines) FeedPage(posts int, t Timeline) Counts {
	return x.Page(posts, t).Plus(readPost.Times(float64(posts)), event)
}
