package prices

import (
	"math"
	"slices"

	"example.com/relationindex/schema"
)

// The mean readers of an author's posts in timelines. A reader's timeline is full of authors like this one.

// Timelines returns the costs in a form of timelines alone.
func (a Author) Timelines(form string) Timelines {
	x := Timelines{Beside: a.index(), Capacity: a.idsPerDocument()}
	x.Beside.Off, x.Backfill = true, a.Backfill
	x.Bucket = min(a.Bucket, maxBucketBytes/entryBytes) // large entries close a bucket before it is full
	switch form {
	case Buckets:
		x.Layout = schema.LayoutBuckets
	case Ring:
		x.Layout, x.Cap = schema.LayoutBuckets, Parts(a.Cap, x.Bucket)*x.Bucket
	case Days:
		x.Layout = schema.LayoutDays
	case CappedItems:
		x.Layout, x.Cap = schema.LayoutItems, a.Cap
	default:
		x.Layout = schema.LayoutItems
	}
	if x.Cap > 0 {
		x.Backfill = min(x.Backfill, x.Cap)
	}
	return x
}

// perDay returns the number of posts on a day with at least one post.
func perDay(posts float64) int { return int(max(1, math.Round(min(posts, 5000)))) }

// readerPerDay returns the number of entries that a reader gets on a day.
func (a Author) readerPerDay() int { return perDay(a.Posts * float64(a.Following)) }

// readers returns the readers of a post. Some have a full bucket, or items beyond the cap.
func (a Author) readers(x Timelines) Readers {
	r := Readers{All: a.Followers}
	switch {
	case x.buckets():
		r.Full = float64(r.All) / float64(x.Bucket)
	case x.Cap > 0:
		r.Due, r.Held = float64(r.All)/TrimEvery, float64(x.Cap+TrimEvery)
	}
	return r
}

// older returns n documents with entries that are not in open any more. With days, an entry may be alone.
func (a Author) older(x Timelines, n int) Readers {
	switch {
	case x.buckets():
		return Readers{All: n, Past: float64(n)}
	case x.Layout == schema.LayoutDays && a.readerPerDay() == 1:
		return Readers{All: n, Only: float64(n)}
	}
	return Readers{All: n}
}

// timeline returns a reader's timeline: with open entries in the open bucket, or with the most items before a trim.
func (a Author) timeline(x Timelines, open int) Timeline {
	if x.Layout == schema.LayoutItems && x.Cap > 0 {
		return Timeline{Entries: x.Cap + TrimEvery, Due: slices.Repeat([]float64{1.0 / TrimEvery}, x.Backfill)}
	}
	const closed = pageSize + 2 // more than a page reads
	return Timeline{Entries: closed*x.Bucket + open, PerDay: a.readerPerDay(), Among: true}
}

// keptIn returns the number of the author's posts in a reader's timeline. With a cap, posts of other authors
// push them out.
func (a Author) keptIn(x Timelines) int {
	if x.Cap == 0 {
		return a.Kept
	}
	return min(a.Kept, Parts(x.Cap, max(1, a.Following)))
}

// documents returns the documents of a reader's timeline that have entries of the author.
func (a Author) documents(x Timelines) Readers {
	n := a.keptIn(x)
	switch {
	case x.buckets():
		n = min(n, Parts(n*max(1, a.Following), x.Bucket))
		return Readers{All: n, Past: float64(max(0, n-1))}
	case x.Layout == schema.LayoutDays:
		n = Parts(n, perDay(a.Posts))
	}
	return a.older(x, n)
}

// page returns the mean cost of a page of a timeline, over every number of entries in the open bucket.
func (a Author) page(x Timelines) (c Counts) {
	if !x.buckets() {
		return x.Page(pageSize, a.timeline(x, 0))
	}
	for open := range x.Bucket {
		c = c.Plus(x.Page(pageSize, a.timeline(x, open+1)))
	}
	return c.Times(1 / float64(x.Bucket))
}

// pageBytes returns the bytes of such a page as clients load it: whole documents, with open half full.
func (a Author) pageBytes(x Timelines) float64 {
	documents, entries := a.page(x).Reads, 1.0
	switch {
	case x.buckets():
		entries = (float64(x.Bucket+1)/2 + (documents-1)*float64(x.Bucket)) / documents
	case x.Layout == schema.LayoutDays:
		entries = float64(a.readerPerDay())
	}
	_, sent := a.entriesOf(x.Layout, entries)
	return documents * sent
}

// account returns the author as an account to delete.
func (a Author) account(x Timelines) Account {
	have, f := a.documents(x), float64(a.Followers)
	return Account{
		Followers: a.Followers, Posts: a.Kept, Own: have.All,
		Entries: Readers{All: have.All * a.Followers, Past: have.Past * f, Only: have.Only * f},
	}
}
