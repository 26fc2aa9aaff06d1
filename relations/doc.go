// Package relations keeps the relation index: it makes derived documents agree with the
// documents that clients write.
//
// Clients write follows and posts:
//
//	users/{u}/followers/{f}        exists ⇔ f follows u
//	posts/{p}                      userId, createdAt, …
//
// The package derives these documents, which nothing else writes:
//
//	users/{u}/followers_index/{i}  up to 10,000 follower ids in an array
//	users/{f}/following/{u}        the mirror: what f follows, and the index document of f
//	_relations/{p}_{i}             one for each post and each index document of its author:
//	                               a copy of the ids, and of some fields of the post
//
// The newest posts of everyone that f follows are then one query:
//
//	_relations  where followers array-contains f  order by createdAt desc  limit 20
//
// # Reconcilers
//
// [Index.Follow] and [Index.Post] receive only the ids of what changed. They read the
// current state and write what is missing. You may call them repeatedly, concurrently,
// late and in any order. Work on many documents becomes a job of package chunker.
//
// # Invariants, when nothing is in flight
//
//  1. f is in exactly one index document of u ⇔ users/u/followers/f exists ⇔
//     users/f/following/u exists and names that index document.
//  2. Every index document is within capacity and byte budget, holds no id twice, and
//     has the right count and size. users/u names all of them in order.
//  3. Each post has exactly one relation for each index document of its author. The
//     relation has the followers and version of the index document, and the fields of
//     the post. There are no other relations.
//  4. No job is queued or running.
//  5. Nobody follows an author who blocks them.
//
// [Index.Verify] checks the invariants. [Index.Repair] restores all but the fourth.
//
// # The smallest use
//
//	engine := chunker.New(client, chunker.Options{})
//	index, err := relations.New(client, engine, relations.Options{})
//	…
//	err = index.Follow(ctx, "alice", "bob") // bob's follower document was written or deleted
//	err = index.Post(ctx, "p1")             // p1 was written or deleted
//
// The package is not for ranked feeds. It is not for feeds that must be complete at the
// moment of the write either. A follow or a post shows once its event is handled,
// usually within a second.
package relations
