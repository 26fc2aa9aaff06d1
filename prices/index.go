package prices

import (
	"cmp"

	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// Index is what operations of the relation index cost, depending on how it is
// configured. Costs include the client's own write, and are those of an
// operation that comes alone: follows that arrive together share (bench: a burst
// of 10,000 makes 1.1 writes a follow beside the relations).
//
// n is the author's posts that have relations, k their index documents.
type Index struct {
	InlineLimit int          // documents that a handler writes itself; more become a job
	Chunk       int          // documents in a page of a job
	Planned     plan.Planned // how a post's relations share transactions, pages and jobs

	Recipients int  // of a post, others than its author
	OwnPosts   bool // authors have their own posts in their feeds
	Off        bool // there are no relations, as where timelines are alone: followers are kept all the same
}

// IndexOf returns the Index under these options, with so many documents in a page of
// a job (0: 500), for an author whose posts are planned like this.
func IndexOf(o schema.Config, chunk int, planned plan.Planned) Index {
	return Index{
		InlineLimit: o.WithDefaults().InlineLimit,
		Chunk:       cmp.Or(chunk, 500),
		Planned:     planned,
		OwnPosts:    !o.NoOwnPosts,
	}
}

// What handlers and jobs are made of. These are the numbers to change when the
// code learns to do with fewer.
var (
	readPost  = reads(1) // by name
	readUser  = reads(1) // the author's, which names the index documents
	readIndex = reads(1) // an index document, with or without its array

	// The members transaction of one follower: user, follower document, edge;
	// writes the edge and an index document.
	membersReads  = reads(3)
	membersWrites = writes(2)
	// Of a follow in addition: is there a tombstone of the follower, and of the author?
	tombstones = reads(2)

	// Every write of a job reads it first, and is an event of its own. A job of one step has
	// three, whatever its pages: enqueue, claim and end. Then its step looks for another job
	// of its owner.
	jobWrite = Counts{Reads: 1, Writes: 1, Invocations: 1}
	jobOnce  = jobWrite.Times(3).Plus(reads(1))
)

// Sweep is one call of Sweep that finds no job due, as each minute has one. It lacks two reads for the
// brake, in a month 0.03 USD.
func Sweep() Counts { return query(0).Plus(event) }

// Page is a page of a feed that shows posts, read by a client.
func (Index) Page(posts int) Counts { return query(posts) }

// FeedPage is the same through the function Feed.
func (x Index) FeedPage(posts int) Counts { return served(x.Page(posts), posts) }

// served is a page through Feed, which reads its posts.
func served(page Counts, posts int) Counts { return page.Plus(readPost.Times(float64(posts)), event) }

// Follow is a follow that finds room in the current index document.
func (x Index) Follow(n int) Counts {
	return clientWrite.Plus(event, membersReads, tombstones, readIndex, membersWrites, x.sync(n))
}

// FollowOpening is a follow that opens an index document, of an author who has
// k before, all of them more than half full.
func (x Index) FollowOpening(n, k int) Counts {
	c := clientWrite.Plus(event, membersReads, tombstones, membersWrites, writes(1)) // users/{u} in addition
	if k > 0 {
		c = c.Plus(readIndex.Times(float64(k))) // the current one, which is full, and then all others
	}
	return c.Plus(x.backfill(n))
}

// Unfollow is the end of a follow.
func (x Index) Unfollow(n int) Counts {
	settle := writes(1).Plus(deletes(1)) // the change log is emptied; the edge goes
	return clientDelete.Plus(event, membersReads, readIndex, membersWrites, x.sync(n), settle)
}

// sync brings n relations of an index document up to date.
func (x Index) sync(n int) Counts {
	if x.Off {
		return readIndex // is there a change log to empty?
	}
	relations := work{each: writes(1), size: x.Chunk}
	if n <= x.InlineLimit {
		return readIndex.Plus(query(n), relations.of(n))
	}
	backfilled := readIndex.Plus(counted(n)) // phase posts
	return readIndex.Plus(query(x.InlineLimit+1), jobOnce, backfilled, relations.walked(n, x.Chunk, readIndex))
}

// backfill gives n posts their relations of an index document that has just been
// opened. It holds one follower, so that a page is one transaction.
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
