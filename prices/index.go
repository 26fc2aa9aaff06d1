package prices

import (
	"cmp"

	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// Index computes the costs of operations of the relation index, for one configuration. The costs include
// the client's own write. They are for an operation that comes alone: follows that arrive together share
// writes (bench: a burst of 10,000 makes 1.1 writes a follow beside the relations).
//
// n is the number of the author's posts with relations, and k the number of the author's index documents.
type Index struct {
	InlineLimit int          // documents that a handler writes itself; more become a job
	Chunk       int          // documents in a page of a job
	Planned     plan.Planned // how a post's relations share transactions, pages and jobs

	Recipients int  // of a post, without its author
	OwnPosts   bool // authors have their own posts in their feeds
	Off        bool // there are no relations, as with timelines alone; followers are still stored
}

// IndexOf returns the Index for the options o. chunk is the number of documents in a page of a job
// (0: 500), and planned the plan for the author's posts.
func IndexOf(o schema.Config, chunk int, planned plan.Planned) Index {
	return Index{
		InlineLimit: o.WithDefaults().InlineLimit,
		Chunk:       cmp.Or(chunk, 500),
		Planned:     planned,
		OwnPosts:    !o.NoOwnPosts,
	}
}

// The parts of handlers and jobs. Change these numbers when the code needs fewer operations.
var (
	readPost  = reads(1) // by name
	readUser  = reads(1) // the author's user document, which names the index documents
	readIndex = reads(1) // an index document, with or without its array

	// The members transaction of one follower: user, follower document, edge;
	// writes the edge and an index document.
	membersReads  = reads(3)
	membersWrites = writes(2)
	// A follow also reads two tombstones: the follower's and the author's.
	tombstones = reads(2)

	// Every write of a job document follows a read of it, and is an event of its own. A job of one step has
	// three writes, for any number of pages: enqueue, claim and end. Then its step queries the next job of
	// the job's owner.
	jobWrite = Counts{Reads: 1, Writes: 1, Invocations: 1}
	jobOnce  = jobWrite.Times(3).Plus(reads(1))
)

// Sweep returns the cost of one call of Sweep that finds no due job. Each minute has such a call. Two
// reads for the brake are left out: 0.03 USD a month.
func Sweep() Counts { return query(0).Plus(event) }

// Page returns the cost of a page with this number of posts, read by a client.
func (Index) Page(posts int) Counts { return query(posts) }

// FeedPage returns the cost of the same page through the function Feed.
func (x Index) FeedPage(posts int) Counts { return served(x.Page(posts), posts) }

// served returns the cost of a page through Feed, which reads the posts of the page.
func served(page Counts, posts int) Counts { return page.Plus(readPost.Times(float64(posts)), event) }

// Follow returns the cost of a follow that finds room in the current index document.
func (x Index) Follow(n int) Counts {
	return clientWrite.Plus(event, membersReads, tombstones, readIndex, membersWrites, x.sync(n))
}

// FollowOpening returns the cost of a follow that opens an index document. The author had k before, all
// more than half full.
func (x Index) FollowOpening(n, k int) Counts {
	c := clientWrite.Plus(event, membersReads, tombstones, membersWrites, writes(1)) // users/{u} in addition
	if k > 0 {
		c = c.Plus(readIndex.Times(float64(k))) // the current one, which is full, and then all others
	}
	return c.Plus(x.backfill(n))
}

// Unfollow returns the cost of the end of a follow.
func (x Index) Unfollow(n int) Counts {
	settle := writes(1).Plus(deletes(1)) // the change log is emptied; the edge goes
	return clientDelete.Plus(event, membersReads, readIndex, membersWrites, x.sync(n), settle)
}

// sync returns the cost of bringing n relations of an index document up to date.
func (x Index) sync(n int) Counts {
	if x.Off {
		return readIndex // to find out whether there is a change log to empty
	}
	relations := work{each: writes(1), size: x.Chunk}
	if n <= x.InlineLimit {
		return readIndex.Plus(query(n), relations.of(n))
	}
	backfilled := readIndex.Plus(counted(n)) // phase posts
	return readIndex.Plus(query(x.InlineLimit+1), jobOnce, backfilled, relations.walked(n, x.Chunk, readIndex))
}

// backfill returns the cost of creating the relations of n posts for a new index document. The document
// holds one follower, so a page is one transaction.
func (x Index) backfill(n int) Counts {
	if x.Off {
		return x.sync(n)
	}
	relations := work{each: readPost.Plus(writes(1)), transaction: readIndex, size: max(x.InlineLimit, x.Chunk)}
	mark := writes(1)
	if n <= x.InlineLimit {
		return readIndex.Plus(query(n), relations.of(n), mark)
	}
	none := readIndex.Plus(query(0)) // phase stale relations
	return readIndex.Plus(query(x.InlineLimit+1), jobOnce, counted(n), relations.walked(n, x.Chunk, readIndex), mark, none)
}
