package cost

import (
	"example.com/relationindex/schema"
)

// What a horizon costs, and saves. An operation's n posts are then those that are kept,
// from the horizon to a tenth more: see [Index.Kept]. Each process reads the horizon once a
// minute, which is in no formula.

var (
	readMarker = reads(1) // of a post, by name: is it kept?
	// CountSince is a count of those that are as new as a kept post, or as the last of a page.
	CountSince   = reads(1)
	readSettings = reads(1) // the horizon, in a transaction
	readRemoval  = reads(1) // the document that removals write

	// What a transaction that evicts asks: the index documents, the horizon, whether others
	// remove posts, and whether enough are as new.
	mayEvict = readUser.Plus(readSettings, readRemoval, readIndex, CountSince)
)

// everyPostLooks is the horizon below which each new post counts the others. Above, every
// second does.
const everyPostLooks = 32

// Kept is how many of an audience's posts are kept in the mean.
func (x Index) Kept(posts int) int {
	if x.Horizon == 0 {
		return posts
	}
	return min(posts, x.Horizon+(x.victims()-1)/2)
}

// victims is how many posts are evicted together, in the mean.
func (x Index) victims() int {
	n := schema.KeptAtMost(x.Horizon) + 1 - x.Horizon
	if x.Horizon >= everyPostLooks {
		n++ // every second post goes by
	}
	return n
}

// ofHorizon is c, which is there with a horizon alone.
func (x Index) ofHorizon(c Counts) Counts {
	if x.Horizon == 0 {
		return Counts{}
	}
	return c
}

// backfillKept gives the posts that are kept, or must be, their relations of an index
// document that has just been opened, beside k others. The first has no others: it gets the
// newest of n posts.
func (x Index) backfillKept(n, k int) Counts {
	newest, kept := min(n, x.Horizon), n
	if k == 0 {
		kept = 0
	}
	c := readIndex.Plus(query(newest), query(kept))
	if copied := max(newest, kept); copied > 0 {
		c = c.Plus(readPost.Times(float64(copied)), readIndex, readMarker.Times(float64(kept)), writes(copied))
		if k == 0 { // they become kept: are there other index documents?
			c = c.Plus(readAuthor(1), readIndex.Times(2))
		}
	}
	return c.Plus(writes(1)) // it is marked
}

// Look is the count after a new post that finds nothing to evict. Every second new post
// is not counted where the horizon is at least 32.
func (x Index) Look() Counts { return counted(schema.KeptAtMost(x.Horizon)) }

// Evict is the eviction of posts of an audience with k index documents, without the count
// that finds them.
func (x Index) Evict(k, posts int) Counts {
	c := query(posts)
	each := x.evictedTogether(k)
	if each > 0 {
		return c.Plus(mayEvict.Times(float64(Parts(posts, each))), deletes(posts*k))
	}
	return c.Plus(x.evictByJob(k).Times(float64(posts)))
}

// evictedTogether is how many posts a transaction evicts; 0: each takes a job.
func (x Index) evictedTogether(k int) int {
	if k > x.InlineLimit {
		return 0
	}
	return x.InlineLimit / k
}

// evictByJob is the eviction of one post that is too much for a transaction.
func (x Index) evictByJob(k int) Counts {
	c := readUser.Plus(readSettings, readRemoval, readIndex, readAuthor(k)) // a transaction that gives up
	c = c.Plus(readMarker, mayEvict, deletes(1))
	marker := 1
	return c.Plus(x.job(k, func(documents, direct int) Counts {
		var c Counts
		relations := documents - marker
		marker = 0 // it is the first job's
		for _, page := range walk(relations+direct, x.Chunk) {
			c = c.Plus(readPost, readAuthor(k), readMarker, CountSince, query(page))
			page -= direct // it stays
			direct = 0
			c = c.Plus(readPost.Plus(readMarker, CountSince).Times(float64(Parts(page, x.Planned.Drop))), deletes(page))
		}
		return c
	}))
}

// Evictions is what evictions cost for each new post, in the mean of many.
func (x Index) Evictions(k int) Counts {
	if x.Horizon == 0 || k == 0 {
		return Counts{}
	}
	looks, posts := 1.0, x.victims()
	if x.Horizon >= everyPostLooks {
		looks = 0.5
	}
	return x.Look().Times(looks).Plus(x.Evict(k, posts).Times(1 / float64(posts)))
}

// EditEvicted is the edit of a post that has no relations any more.
func (x Index) EditEvicted(k int) Counts {
	c := clientWrite.Plus(event, readPost, readAuthor(k), query(0))
	if k > 0 {
		c = c.Plus(CountSince)
	}
	return c
}

// DeleteEvicted is the deletion of a post that has no relations any more.
func (x Index) DeleteEvicted() Counts {
	return clientDelete.Plus(event, readPost, query(0), Comments(0))
}

// DeleteReplaced is the deletion of a kept post of an author with n posts and k index
// documents, where no more are kept than the horizon: another takes its place first. A
// handler does both.
func (x Index) DeleteReplaced(n, k int) Counts {
	first := min(k+x.directRelations(), x.Planned.Drop) // relations that go with the marker
	keep := readAuthor(k).Plus(readPost, readMarker, readIndex.Plus(writes(1)).Times(float64(k)), readIndex)
	again := readPost.Plus(query(first), x.heirs(n, k), readPost)
	return x.Delete(n, k).Plus(keep, again)
}

// heirs finds the posts that must be kept when one of n goes, and asks whether they are.
func (x Index) heirs(n, k int) Counts {
	if x.Horizon == 0 || k == 0 {
		return Counts{}
	}
	others := min(n-1, x.Horizon)
	return readAuthor(k).Plus(query(others), readMarker.Times(float64(others)))
}
