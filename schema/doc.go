// Package schema is the vocabulary of a database: every document as a Go type, the names
// of fields and collections, paths, ids, limits and errors. All other packages use it.
//
// Clients write follows and posts:
//
//	users/{u}/followers/{f}        exists ⇔ f follows u
//	posts/{p}                      userId, createdAt, …
//
// Only the functions write these documents, which they derive:
//
//	users/{u}/followers_index/{i}  up to 10,000 follower ids in an array
//	users/{f}/following/{u}        the edge: what f follows, and the index document of f
//	_relations/{p}_{i}             one for each post and each index document of its author:
//	                               a copy of the ids, and of some fields of the post
//	_tombstones/{hash}             a deleted account
//	_purging/{u}                   an account whose purge is under way, or ended within the hour before expireAt
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
//  5. Nobody follows an author who blocks them, or whom they block.
//
// Package audit/verify checks the invariants. Package audit/repair restores all but the
// fourth.
//
// The package reads two documents: the stored horizon ([Horizons]) and the brake ([Database.LookAtBrake]). The
// packages above read and write all other documents.
package schema
