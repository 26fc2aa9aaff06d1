// Package relations is the delivery by relations. It keeps a document for each post and each index document of the
// post's audience, with a copy of the follower ids and of some fields of the post. The newest posts of everyone that f
// follows are then one query:
//
//	_relations  where followers array-contains f  order by createdAt desc  limit 20
//
// [Delivery.Followed] and [Delivery.Post] receive only the ids of what changed. They read
// the current state and write what is missing. You may call them repeatedly, concurrently,
// late and in any order. Work on many documents becomes a job of package chunker.
//
// The package is not for ranked feeds. It is not for feeds that must be complete at the
// moment of the write either. A follow or a post shows once its event is handled, usually
// within a second.
package relations
