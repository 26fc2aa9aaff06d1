package prices

import "example.com/relationindex/schema"

// Timelines computes the costs of operations with timelines: each reader has documents of their own, see
// package timelines. The costs include those of Beside.
type Timelines struct {
	Layout                 string // of [schema.Config.Timeline]
	Bucket, Cap, Backfill  int    // of schema.Config, and so are the next two
	KeepOnUnfollow, Ranked bool
	Settings               bool  // functions read the settings of readers
	Beside                 Index // other work for the same writes: followers, and relations unless they are off
	// Capacity is the number of followers in a full index document. All index documents but the last are full.
	Capacity int
}

// Readers are readers of a post. Each has a document that has the post's entry or gets it. Full and Past
// are for buckets alone, Due and Held for items with a cap.
type Readers struct {
	All  int
	New  float64 // have no timeline yet
	Full float64 // have an open bucket without room: it is closed
	Past float64 // have the entry in the bucket that was closed last
	Only float64 // have no other entry in the document: the document is deleted with the entry; an item always is
	Due  float64 // get an item that trims the timeline to its cap, unless the item is there already
	Held float64 // entries in the timeline of each reader of Due, before
}

// The sizes of package timelines.
const (
	timelineBatch  = 100 // timelines, or documents of them, in a transaction
	backfillBatch  = 25  // posts of a follow in a transaction
	timelineFactor = 10  // readers in a page of a fan-out, for each document of a job's page
	daysAtOnce     = 3   // the most days that a page of a feed reads together; the page begins with one
	maxBucketBytes = 256 << 10
	maxDayBytes    = 1 << 20
	TrimEvery      = 25  // one of so many items of a timeline with a cap trims the timeline
	trimmed        = 100 // the most items that a trim deletes

	// What a listed document holds.
	itemBytes        = 1 << 10
	dayBytes         = 16 << 10
	bucketEntryBytes = 512 + 2<<10 // with copied fields
)

// together has the largest numbers of timeline documents that are read at once.
type together struct {
	whole  int // read whole, for a transaction
	edited int // listed to edit one entry of each
	listed int // listed with their entries
}

func (x Timelines) together() together {
	const bytes = schema.TransactionBytes
	switch x.Layout {
	case schema.LayoutItems:
		return together{timelineBatch, bytes / itemBytes, bytes / itemBytes}
	case schema.LayoutDays:
		return together{bytes / maxDayBytes, bytes / dayBytes, bytes / maxDayBytes}
	}
	full := min(x.Bucket*bucketEntryBytes, maxBucketBytes)
	listed := full
	if x.light() > 0 {
		listed = x.Bucket*64 + full*8/100 // few documents are read whole
	}
	return together{bytes / maxBucketBytes, bytes / listed, bytes / full}
}

// The reads of handlers and jobs, as in index.go.
var (
	readEdge  = reads(1)
	readJob   = reads(1)
	readBlock = reads(1)
	readOpen  = reads(1) // for each reader
	readSlot  = reads(1) // the bucket that a closed one overwrites; also the first bucket of a reader without open
	readItem  = reads(1) // an item that trims, to find out whether it is there already
	readPast  = reads(1) // for a reader with the entry in the bucket that was closed last
	comments  = query(0) // of a post: a query for comments that lifted the post before its entry came; there are none
)

func (x Timelines) buckets() bool { return x.Layout == schema.LayoutBuckets }

// light returns 1 if open is read without its entries, and again when it is closed; otherwise 0.
func (x Timelines) light() float64 {
	if x.buckets() && x.Bucket >= 25 && x.Bucket <= 50 {
		return 1
	}
	return 0
}

// add returns the layout's part of the cost of bringing a post to readers who do not have it. A post that
// has changed since its creation may be there already.
func (x Timelines) add(r Readers, changed bool) Counts {
	switch {
	case x.buckets():
		return readOpen.Times(float64(r.All)).Plus(readSlot.Times(r.New+r.Full), readOpen.Times(r.Full*x.light()), writes(r.All), writes(1).Times(r.Full))
	case changed:
		return reads(r.All).Plus(writes(r.All), x.trims(r.Due, r.Held))
	}
	return writes(r.All).Plus(x.trims(r.Due, r.Held))
}

// addAgain returns the layout's part of the cost of bringing a post to readers who have it.
func (x Timelines) addAgain(r Readers, changed bool) Counts {
	switch {
	case x.buckets():
		return readOpen.Times(float64(r.All)).Plus(readPast.Times(r.Past))
	case changed:
		return reads(r.All)
	}
	c := writes(r.All) // the same
	if x.Layout == schema.LayoutItems && x.Cap > 0 {
		c = c.Plus(readItem.Times(r.Due))
	}
	return c
}

// trims returns the cost of items that trim, each in a timeline that had held entries. A trim checks whether
// the item is there, counts, and queries and deletes the items beyond the cap.
func (x Timelines) trims(items, held float64) Counts {
	if x.Layout != schema.LayoutItems || x.Cap == 0 {
		return Counts{}
	}
	over := x.over(held)
	return readItem.Plus(counted(int(held)), Counts{Reads: over, Deletes: over}).Times(items)
}

// over returns the number of items that a trim deletes from a timeline with held items.
func (x Timelines) over(held float64) float64 {
	return min(max(0, held-float64(x.Cap)), trimmed)
}

// lifting returns the cost of the query for each addition of a post, if comments lift posts.
func (x Timelines) lifting() Counts {
	if !x.Ranked {
		return Counts{}
	}
	return comments
}

// edit returns the cost of changing an entry in each document.
func (Timelines) edit(r Readers) Counts { return writes(r.All) }

// remove returns the cost of removing an entry from each document.
func (x Timelines) remove(r Readers) Counts {
	if x.Layout == schema.LayoutItems {
		return deletes(r.All)
	}
	return writes(r.All).Plus(Counts{Writes: -1, Deletes: 1}.Times(r.Only), x.totals(r.Past))
}

// without returns the cost of listing documents, reading them whole and removing their entries. Each
// transaction costs read in addition, and changes open of a reader once. readers is the number of readers
// with these documents.
func (x Timelines) without(have Readers, readers float64, read Counts) Counts {
	c := query(have.All)
	if have.All == 0 {
		return c
	}
	batches := float64(Parts(have.All, x.together().whole))
	opens := float64(have.All) - have.Past // a change of open includes the total
	have.Past = max(0, min(have.Past, max(readers, batches))-opens)
	return c.Plus(reads(have.All), x.remove(have), read.Times(batches))
}

// totals returns the cost of updating the total in open for readers whose closed buckets change.
func (Timelines) totals(readers float64) Counts { return writes(1).Times(readers) }

// plus returns the sum of r and o.
func (r Readers) plus(o Readers) Readers {
	return Readers{r.All + o.All, r.New + o.New, r.Full + o.Full, r.Past + o.Past, r.Only + o.Only, r.Due + o.Due, max(r.Held, o.Held)}
}

// some returns n of the readers, or all if there are fewer.
func (r Readers) some(n int) Readers {
	if n >= r.All {
		return r
	}
	share := float64(n) / float64(r.All)
	return Readers{n, r.New * share, r.Full * share, r.Past * share, r.Only * share, r.Due * share, r.Held}
}
