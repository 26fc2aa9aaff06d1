// Package relations keeps the relation index: it makes the derived documents
// of a social app on Firestore agree with the documents that clients write.
//
// Clients write who follows whom, and posts:
//
//	users/{u}/followers/{f}        exists ⇔ f follows u
//	posts/{p}                      userId, createdAt, …
//
// From these it derives, and nobody else writes:
//
//	users/{u}/followers_index/{i}  up to 10,000 follower ids in an array
//	users/{f}/following/{u}        the mirror: what f follows, and where f's id is
//	_relations/{p}_{i}             for each post and each of its author's index
//	                               documents: a copy of the ids, and of some fields of the post
//
// so that the newest posts of everyone that f follows are one query:
//
//	_relations  where followers array-contains f  order by createdAt desc  limit 20
//
// # Reconcilers
//
// [Index.Follow] and [Index.Post] are told only what to look at. They read
// what is true now and write what is missing, so they may be called twice, at
// once, late, and in any order. What belongs to many documents becomes a job
// of package chunker.
//
// # Invariants, when nothing is in flight
//
//  1. f is in exactly one index document of u ⇔ users/u/followers/f exists ⇔
//     users/f/following/u exists, and that names the index document.
//  2. Every index document is within capacity and byte budget, holds no id
//     twice, and its count and size are right; users/u names them all in order.
//  3. For every post and every index document of its author there is exactly
//     one relation; it has the index document's followers and version, and the
//     post's fields. There are no others.
//  4. No job is under way.
//  5. Nobody follows an author who blocks them.
//
// [Index.Verify] checks them, [Index.Repair] restores all but the fourth.
//
// # The smallest use
//
//	engine := chunker.New(client, chunker.Options{})
//	index, err := relations.New(client, engine, relations.Options{})
//	…
//	err = index.Follow(ctx, "alice", "bob") // bob's follower document was written or deleted
//	err = index.Post(ctx, "p1")             // p1 was written or deleted
//
// It is not for feeds that are ranked, or that have to be complete at the
// moment of the write: a follow or a post shows when its event has been
// handled, usually within a second.
package relations
