package prices

import "example.com/relationindex/schema"

// What readers decide, as in index.go.
var (
	readDecided = reads(1) // a reader's settings
	readHides   = reads(1) // does somebody hide the post?
	readHidden  = reads(1) // does this reader?
)

// decided is what transactions read that bring a post to so many readers. Those of whose group somebody hides the post,
// one in 4,096 for each who does, cost another read.
func (x Timelines) decided(readers int) Counts {
	if !x.Settings {
		return Counts{}
	}
	return each(readers, readHides).Plus(readDecided.Times(float64(readers)))
}

// EditKind is an edit of a post's kind, in timelines alone: who has the entry may hide the new kind.
// Nobody does.
func (x Timelines) EditKind(followers, named Readers) Counts {
	return clientWrite.Plus(event, x.deliver(delivery{
		have: followers.plus(named), stays: true, named: named, followers: followers, add: x.addAgain,
		change: func(r Readers) Counts {
			if !x.Settings {
				return x.edit(r)
			}
			return x.edit(r).Plus(readDecided.Times(float64(r.All)))
		},
	}))
}

// Seen is a write of seenAt alone, by a reader who was not idle.
func (Timelines) Seen() Counts { return clientWrite.Plus(event) }

// HidePost hides a post in one timeline, which has it or not; first says that nobody of
// the reader's group has hidden the post before.
func (x Timelines) HidePost(first, there bool) Counts {
	c := clientWrite.Plus(event, readHides, readHidden, x.mark(there))
	if first {
		c = c.Plus(writes(1))
	}
	return c
}

// ShowPost is the end of that.
func (x Timelines) ShowPost(there bool) Counts {
	return clientDelete.Plus(event, readHides, readHidden, x.mark(there))
}

func (Timelines) mark(there bool) Counts {
	if !there {
		return query(0)
	}
	return query(1).Plus(readHidden, writes(1))
}

// Filter is a change of settings that hides more. The timeline has so many documents. Entries go from
// first among those that a handler lists, and from others among the rest.
func (x Timelines) Filter(documents int, first, others Readers) Counts {
	limit := x.Beside.InlineLimit
	some := min(documents, limit)
	c := clientWrite.Plus(event, x.filter(some, first, limit))
	if documents < limit {
		return c
	}
	c = c.Plus(readDecided, jobOnce)
	gone := func(r Readers) int {
		if x.Layout == schema.LayoutItems {
			return r.All
		}
		return int(r.Only)
	}
	left, clean := documents-gone(first), some-gone(first)
	for {
		page := min(left, x.Beside.Chunk)
		var now Readers
		now, others = others.Split(max(0, page-clean))
		c = c.Plus(x.filter(page, now, x.Beside.Chunk))
		if left, clean = left-page, max(0, clean-page); page < x.Beside.Chunk {
			return c
		}
	}
}

// filter is a page of up to limit documents. Each part of it reads the settings.
func (x Timelines) filter(documents int, have Readers, limit int) (c Counts) {
	size := min(limit, x.together().listed)
	for _, n := range walk(documents, size) {
		var now Readers
		now, have = have.Split(min(n, have.All))
		c = c.Plus(readDecided, query(n))
		if now.All > 0 {
			c = c.Plus(x.without(now, 1, readDecided), query(now.All).Times(-1))
		}
	}
	if documents == limit { // the page is full: there may be more
		c = c.Plus(readDecided.Plus(query(0)).Times(-1))
	}
	return c
}

// Split is the first n of a reader's documents and the others. The first one is open, unless all are
// closed.
func (r Readers) Split(n int) (first, others Readers) {
	first = r.some(n)
	others = Readers{All: r.All - first.All, Only: r.Only - first.Only}
	if r.Past > 0 && first.All > 0 {
		first.Past = float64(first.All) - (float64(r.All) - r.Past)
	}
	others.Past = r.Past - first.Past
	return first, others
}

// Reaching is what a rebuild finds of a reader.
type Reaching struct {
	Follows  int
	Found    []int // posts that each of its queries finds, the first those that name the reader
	Authors  int   // of those that name the reader, others than the reader: does the reader block them?
	Accounts int   // those whom posts are to that come in a transaction
	Newer    bool  // the posts that come are newer than the reader's open bucket
}

// queries finds the posts that reach a reader, and those that are in so many documents.
func (r Reaching) queries(documents int) Counts {
	c, found := readDecided.Plus(query(r.Follows), readBlock.Times(float64(r.Authors))), 0
	for _, n := range r.Found {
		c, found = c.Plus(query(n)), found+n
	}
	if found > 0 {
		c = c.Plus(query(documents))
	}
	return c
}

// Rebuild is a change of settings that shows more, or a return of who was idle, of a reader who hides
// nothing. A job brings n posts, perDay a day, to a timeline that has no others of these accounts.
func (x Timelines) Rebuild(n int, r Reaching, t Timeline, perDay int) Counts {
	b := x.backfilling(n, t, perDay, r.Newer)
	b.accounts, b.optional = r.Accounts, false
	c := clientWrite.Plus(event, readDecided, jobOnce, readDecided) // phase hidden: nothing is
	page := x.Beside.Chunk * timelineFactor
	for from := 0; from == 0 || from < n; from += page {
		c = c.Plus(r.queries(b.documents(from)), b.bring(from, min(n, from+page)))
	}
	return c
}

// documents is how many the timeline has when so many posts have come.
func (b *backfill) documents(there int) int {
	switch {
	case b.Layout == schema.LayoutItems:
		return b.before.Entries + there
	case b.Layout == schema.LayoutDays:
		return Parts(b.before.Entries, max(1, b.before.PerDay)) + Parts(there, b.perDay)
	case b.before.Entries+b.before.Gone+there == 0:
		return 0
	}
	return len(b.trial.Documents())
}
