package prices

import "example.com/relationindex/schema"

// Timelines is what operations cost where each reader has documents of their own: see
// package timelines. Costs include those of Beside.
type Timelines struct {
	Layout                 string // of [schema.Config.Timeline]
	Bucket, Cap, Backfill  int    // of schema.Config, and so the next
	KeepOnUnfollow, Ranked bool
	Settings               bool  // what readers have decided is read
	Beside                 Index // what else comes of the same writes: of followers, and of relations unless they are off
	// Capacity is how many followers a full index document has. All but the last are full.
	Capacity int
}

// Readers are readers of a post, each with a document that has its entry or gets it. Full
// and Past are of buckets alone, Due and Held of items with a cap.
type Readers struct {
	All  int
	New  float64 // have no timeline yet
	Full float64 // have an open bucket without room: it is closed
	Past float64 // have the entry in the bucket that was closed last
	Only float64 // have no other entry in the document, which goes with it; an item always does
	Due  float64 // get an entry that takes those beyond the cap with it, if it comes
	Held float64 // entries of each of these, before
}

// The sizes of package timelines.
const (
	timelineBatch  = 100 // timelines, or documents of them, in a transaction
	backfillBatch  = 25  // posts of a follow in a transaction
	timelineFactor = 10  // readers in a page of a fan-out, for each document of a job's page
	daysAtOnce     = 3   // days that a page of a feed reads together, at most; it begins with one
	maxBucketBytes = 256 << 10
	maxDayBytes    = 1 << 20
	TrimEvery      = 25  // items of a timeline with a cap: one takes those that are too many with it
	trimmed        = 100 // of which so many go, at most

	// What a listed document holds.
	itemBytes        = 1 << 10
	dayBytes         = 16 << 10
	bucketEntryBytes = 512 + 2<<10 // with copied fields
)

// together is how many documents of a timeline go together.
type together struct {
	whole  int // read whole for a transaction
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
		listed = x.Bucket*64 + full*8/100 // few of them are read whole
	}
	return together{bytes / maxBucketBytes, bytes / listed, bytes / full}
}

// What handlers and jobs read, as in index.go.
var (
	readEdge  = reads(1)
	readJob   = reads(1)
	readBlock = reads(1)
	readOpen  = reads(1) // for each reader
	readSlot  = reads(1) // the bucket that a closed one overwrites; and the first of a reader without open
	readItem  = reads(1) // that takes others with it: is it there?
	readPast  = reads(1) // for a reader whose entry is in the bucket that was closed last
	comments  = query(0) // of a post: has one lifted it before its entry came? There are none
)

func (x Timelines) buckets() bool { return x.Layout == schema.LayoutBuckets }

// light says that open is read without its entries, and again if it is closed.
func (x Timelines) light() float64 {
	if x.buckets() && x.Bucket >= 25 && x.Bucket <= 50 {
		return 1
	}
	return 0
}

// add is the layout's part of bringing a post to readers who do not have it. A post that
// has changed since it was created might be there.
func (x Timelines) add(r Readers, changed bool) Counts {
	switch {
	case x.buckets():
		return readOpen.Times(float64(r.All)).Plus(readSlot.Times(r.New+r.Full), readOpen.Times(r.Full*x.light()), writes(r.All), writes(1).Times(r.Full))
	case changed:
		return reads(r.All).Plus(writes(r.All), x.trims(r.Due, r.Held))
	}
	return writes(r.All).Plus(x.trims(r.Due, r.Held))
}

// addAgain is the layout's part of bringing a post to readers who have it.
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

// trims is what so many items that come take with them, each of a timeline that had held entries.
// It looks whether the item is there, counts, and queries and deletes those that are too many.
func (x Timelines) trims(items, held float64) Counts {
	if x.Layout != schema.LayoutItems || x.Cap == 0 {
		return Counts{}
	}
	over := x.over(held)
	return readItem.Plus(counted(int(held)), Counts{Reads: over, Deletes: over}).Times(items)
}

// over is how many entries go from a timeline of items that has held.
func (x Timelines) over(held float64) float64 {
	return min(max(0, held-float64(x.Cap)), trimmed)
}

// lifting is what each addition of a post asks for where comments lift posts.
func (x Timelines) lifting() Counts {
	if !x.Ranked {
		return Counts{}
	}
	return comments
}

// edit changes an entry in each document.
func (Timelines) edit(r Readers) Counts { return writes(r.All) }

// remove takes an entry out of each document.
func (x Timelines) remove(r Readers) Counts {
	if x.Layout == schema.LayoutItems {
		return deletes(r.All)
	}
	return writes(r.All).Plus(Counts{Writes: -1, Deletes: 1}.Times(r.Only), x.totals(r.Past))
}

// without lists documents and reads them whole, to take entries out. Each transaction costs read,
// and changes open of a reader once. readers are those whose documents these are.
func (x Timelines) without(have Readers, readers float64, read Counts) Counts {
	c := query(have.All)
	if have.All == 0 {
		return c
	}
	batches := float64(Parts(have.All, x.together().whole))
	opens := float64(have.All) - have.Past // which say the total themselves
	have.Past = max(0, min(have.Past, max(readers, batches))-opens)
	return c.Plus(reads(have.All), x.remove(have), read.Times(batches))
}

// totals is the change of open that comes with changes of closed buckets, of as many readers.
func (Timelines) totals(readers float64) Counts { return writes(1).Times(readers) }

// plus is both.
func (r Readers) plus(o Readers) Readers {
	return Readers{r.All + o.All, r.New + o.New, r.Full + o.Full, r.Past + o.Past, r.Only + o.Only, r.Due + o.Due, max(r.Held, o.Held)}
}

// some returns n of them, or all if there are fewer.
func (r Readers) some(n int) Readers {
	if n >= r.All {
		return r
	}
	share := float64(n) / float64(r.All)
	return Readers{n, r.New * share, r.Full * share, r.Past * share, r.Only * share, r.Due * share, r.Held}
}

// TimelinesOf is the Timelines under these options, beside what else the functions do.
func TimelinesOf(o schema.Config, beside Index) Timelines {
	o = o.WithDefaults()
	beside.Off = !o.Relations()
	return Timelines{
		Layout: o.Timeline(), Bucket: o.Bucket, Cap: o.Cap, Backfill: o.Backfill, KeepOnUnfollow: o.KeepOnUnfollow, Ranked: o.Ranked,
		Settings: o.ReaderSettings, Beside: beside, Capacity: o.Capacity,
	}
}
