package prices

import "example.com/relationindex/schema"

// The reads of readers' decisions, as in index.go.
var (
	readDecided = reads(1) // a reader's settings
	readHides   = reads(1) // whether somebody hides the post
	readHidden  = reads(1) // whether this reader hides the post
)

// decided returns the reads of transactions that bring a post to this number of readers, if nobody hides the post. Each reader who
// hides the post adds a read for one in 4,096 readers: the readers of the same group.
func (x Timelines) decided(readers int) Counts {
	if !x.Settings {
		return Counts{}
	}
	return each(readers, readHides).Plus(readDecided.Times(float64(readers)))
}

// EditKind returns the cost of an edit of a post's kind, with timelines alone. A reader with the entry may
// hide the new kind; here, nobody does.
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

// Seen returns the cost of a write of seenAt alone, by a reader who was not idle.
func (Timelines) Seen() Counts { return clientWrite.Plus(event) }

// HidePost returns the cost of hiding a post in one timeline. there says whether the timeline has the post.
// first says that nobody in the reader's group has hidden the post before.
func (x Timelines) HidePost(first, there bool) Counts {
	c := clientWrite.Plus(event, readHides, readHidden, x.mark(there))
	if first {
		c = c.Plus(writes(1))
	}
	return c
}

// ShowPost returns the cost of showing the post again.
func (x Timelines) ShowPost(there bool) Counts {
	return clientDelete.Plus(event, readHides, readHidden, x.mark(there))
}

func (Timelines) mark(there bool) Counts {
	if !there {
		return query(0)
	}
	return query(1).Plus(readHidden, writes(1))
}

// Filter returns the cost of a change of settings that hides more, for a timeline of this number of
// documents. A handler lists the first documents. If its page is full, a job lists all documents that are left,
// from the first one. first are the documents that lose entries in the handler, and others those that lose
// entries in the job.
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

// filter returns the cost of a page of up to limit documents. Each part of the page reads the settings.
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

// Split returns the first n of a reader's documents, and the others. The first document is open, unless all
// are closed.
func (r Readers) Split(n int) (first, others Readers) {
	first = r.some(n)
	others = Readers{All: r.All - first.All, Only: r.Only - first.Only}
	if r.Past > 0 && first.All > 0 {
		first.Past = float64(first.All) - (float64(r.All) - r.Past)
	}
	others.Past = r.Past - first.Past
	return first, others
}

// Reaching has the numbers of a rebuild's results for a reader.
type Reaching struct {
	Follows  int
	Found    []int // posts that each query finds; the first query is for posts that name the reader
	Authors  int   // other authors of posts that name the reader; each costs a check for a block by the reader
	Accounts int   // accounts that the posts of one transaction are for
	Newer    bool  // the added posts are newer than the reader's open bucket
}

// queries returns the cost of finding the posts that reach a reader, and the posts in the timeline's documents.
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

// Rebuild returns the cost of a change of settings that shows more, or of an idle reader's return. The
// reader hides nothing. A job brings n posts, perDay a day, to a timeline without other posts of these
// accounts.
func (x Timelines) Rebuild(n int, r Reaching, t Timeline, perDay int) Counts {
	b := x.backfilling(n, t, perDay, r.Newer)
	b.accounts, b.optional = r.Accounts, false
	c := clientWrite.Plus(event, readDecided, jobOnce, readDecided) // phase hidden: no post is
	page := x.Beside.Chunk * timelineFactor
	for from := 0; from == 0 || from < n; from += page {
		c = c.Plus(r.queries(b.documents(from)), b.bring(from, min(n, from+page)))
	}
	return c
}

// documents returns the number of documents in the timeline when this number of posts has come.
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
