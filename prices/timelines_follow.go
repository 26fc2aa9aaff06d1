package prices

import (
	"fmt"
	"sync"

	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Timeline is one reader's.
type Timeline struct {
	Entries int // in it
	Gone    int // taken out of buckets: those that come again. But for the first, buckets stay without entries
	PerDay  int // of each day, if it has days
	// Due says of each post that a backfill brings, oldest first, whether its item takes those
	// beyond the cap with it: 1, 0, or a share in the mean. Those that are not there are 0.
	Due []float64
	// Among says that the posts of a backfill are spread among the entries; false: they are older than all.
	Among bool
}

// open is the sequence of the open bucket, and how many entries it has.
func (x Timelines) open(t Timeline) (sequence, entries int) {
	sequence = max(1, Parts(t.Entries+t.Gone, x.Bucket))
	return sequence, max(0, t.Entries-(sequence-1)*x.Bucket)
}

// Follow is a follow of an author, of whose posts n have relations, by a reader with a
// timeline. all are the author's posts, perDay a day.
func (x Timelines) Follow(n, all int, t Timeline, perDay int) Counts {
	return x.Beside.Follow(n).Plus(x.backfill(all, t, perDay))
}

// FollowOpening is a follow that opens an index document of an author who has k before.
func (x Timelines) FollowOpening(n, k, all int, t Timeline, perDay int) Counts {
	return x.Beside.FollowOpening(n, k).Plus(x.backfill(all, t, perDay))
}

// backfill brings the newest of n posts, oldest first.
func (x Timelines) backfill(n int, t Timeline, perDay int) Counts {
	n = min(n, x.Backfill)
	if !x.buckets() {
		return x.backfillOf(n, t, perDay)
	}
	t.Due = nil // of items
	of := tried{x.Bucket, x.Cap, x.KeepOnUnfollow, x.Settings, x.Beside.InlineLimit, x.Beside.Chunk, n, t.Entries, t.Gone, t.Among}
	if c, ok := trials.Load(of); ok {
		return c.(Counts)
	}
	c := x.backfillOf(n, t, perDay)
	trials.Store(of, c)
	return c
}

// trials are backfills of buckets that were computed: an estimate asks for the same one many times.
var trials sync.Map

// tried is what decides on the cost of a backfill of buckets.
type tried struct {
	bucket, capped                          int
	keep, settings                          bool
	inlineLimit, chunk, n, before, takenOut int
	among                                   bool
}

func (x Timelines) backfillOf(n int, t Timeline, perDay int) (c Counts) {
	b := x.backfilling(n, t, perDay, false)
	if c = query(n); n <= x.Beside.InlineLimit {
		return c.Plus(b.bring(0, n))
	}
	c = c.Plus(readEdge, jobOnce, query(0)) // phase removal: they have nothing of before
	if x.KeepOnUnfollow {
		c = c.Plus(readBlock.Times(2), query(0).Times(-1))
	}
	for from := 0; from < n; from += x.Beside.Chunk {
		c = c.Plus(readEdge, query(n), b.bring(from, min(n, from+x.Beside.Chunk)))
	}
	return c
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
	optional bool          // posts may be left out
	n        int           // posts that come
	trial    *layout.Trial // buckets
	untried  int           // closed buckets that the trial leaves out
	tried    Counts        // what the posts cost that the trial has got
}

// backfilling begins to bring n posts to a timeline: newer ones than it has, or as it says.
func (x Timelines) backfilling(n int, t Timeline, perDay int, newer bool) *backfill {
	b := &backfill{Timelines: x, before: t, perDay: perDay, held: float64(t.Entries), accounts: 1, n: n, optional: true}
	if !x.buckets() {
		return b
	}
	slots := x.Cap / x.Bucket
	if sequence, open := x.open(t); t.Gone == 0 && sequence-1 > x.mostTried() {
		b.untried = sequence - 1 - x.mostTried()
		t.Entries, slots = x.mostTried()*x.Bucket+open, min(slots, x.mostTried())
		b.before.Entries = t.Entries
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
	b.trial = layout.NewTrial(layout.Ring{Size: x.Bucket, Slots: int64(slots)}, x.light() > 0, before)
	for i := range t.Gone {
		b.trial.Add([]layout.Entry{b.entry(i)}, false)
	}
	for i := range t.Gone {
		b.trial.Remove(b.entry(i).Post)
	}
	return b
}

// mostTried is how many closed buckets a trial has: more cost little more.
func (x Timelines) mostTried() int { return min(32, max(4, 4000/x.Bucket)) }

// mostTriedPosts are the posts that a trial gets. It is a multiple of backfillBatch.
const mostTriedPosts = 40 * backfillBatch

// apart is how far the entries of a trial are apart.
const apart = 1 << 20

// entry is one of the posts that come.
func (b *backfill) entry(i int) layout.Entry {
	e := layout.Entry{Post: fmt.Sprint("post", i), At: int64(i) * apart}
	if b.before.Among { // from the oldest to the newest entry
		e.At = int64(i)*apart*int64(b.before.Entries)/int64(b.n) + 1
	}
	return e
}

// bring is the posts from one number to another, in transactions.
func (b *backfill) bring(from, to int) (c Counts) {
	for ; from < to; from += backfillBatch {
		end := min(to, from+backfillBatch)
		c = c.Plus(readEdge.Times(float64(min(end-from, b.accounts))), readPost.Times(float64(end-from)), b.layout(from, end))
		if b.Settings {
			c = c.Plus(readDecided, readHidden.Times(float64(end-from)))
		}
		c = c.Plus(b.lifting().Times(float64(end - from)))
		b.there = max(b.there, end)
	}
	return c
}

func (b *backfill) layout(from, to int) Counts {
	added := to - max(from, min(to, b.there))
	switch b.Layout {
	case schema.LayoutItems:
		return reads(to-from).Plus(writes(added), b.fit(added), b.trim(to-added, to))
	case schema.LayoutDays:
		days := func(from, to int) int {
			if from == to {
				return 0
			}
			return (to-1)/b.perDay - from/b.perDay + 1
		}
		return reads(days(from, to)).Plus(writes(days(to-added, to)))
	}
	if from >= mostTriedPosts { // as those before
		return b.tried.Times(float64(to-from) / mostTriedPosts)
	}
	entries := make([]layout.Entry, 0, to-from)
	for i := from; i < to; i++ {
		entries = append(entries, b.entry(i))
	}
	read, written := b.trial.Add(entries, b.optional)
	c := reads(read).Plus(writes(written))
	b.tried = b.tried.Plus(c)
	return c
}

// fit is what Add looks up before so many items come, which are optional.
func (b *backfill) fit(added int) Counts {
	if b.Cap == 0 || added == 0 || !b.optional {
		return Counts{}
	}
	c := counted(int(b.held))
	if b.held >= float64(b.Cap) {
		c = c.Plus(readItem)
	}
	return c
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
	c = c.Plus(readEdge, jobOnce, readEdge) // phase backfill: they do not follow
	return c.Plus(pages(have.All-first.All, x.Beside.Chunk, func(page int) Counts {
		return x.without(have.some(page), 1, readEdge.Plus(readBlock))
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
