// Package timelines is the delivery by timelines: each reader has documents of their own,
// with an entry for each post that reaches them.
//
//	users/{reader}/timeline/…   posts, accounts, and an entry for each post
//
// A [layout.Layout] determines these documents: [layout.Items] has one for each post, [layout.Buckets] one
// for a fixed number of posts in order, [layout.Days] one for each day.
//
// A post costs a write for each reader. In return, timelines have features that relations cannot have:
// an order of each reader's own, a cap, a total, pages of one or two reads, and documents that name no
// other reader.
//
// [Delivery.Followed] and [Delivery.Post] receive only the ids of changed documents. They read
// the current state and write what is missing. You may call them repeatedly, concurrently,
// late and in any order. Work on many readers becomes a job of package chunker.
//
// # Invariants, when nothing is in flight
//
//  1. A reader's timeline has one entry for each post that names the reader or is to an audience
//     that the reader follows, within the limits of the layout and of backfill.
//  2. An entry agrees with its post. It lies where the layout, or a layout configured earlier, puts it.
//  3. posts names the posts of a document's entries and no others. accounts names at least
//     their authors and audiences.
//  4. open.total is the number of entries in open and closed buckets.
//
// # Why reconcilers cannot miss each other
//
// Every transaction that writes entries reads the documents that decide whether the entries belong there.
// A fan-out reads the post and the index document's version. A backfill and a removal read
// the edge. A timeline document is read without a lock, and written on condition that
// the document has not changed.
//
// Do not use the package for authors with millions of followers: relations write less.
package timelines
