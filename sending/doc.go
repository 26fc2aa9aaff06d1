// Package sending brings each new post to its readers by an app's own deliveries ([schema.Delivery]): by mail, by push,
// or by documents that the app reads. Each post and delivery has one job, so a failure of one delivery does not hold up
// the others.
//
// A post is brought while it is new: see [Delivery.Post]. First come the people who are named in the post and follow its
// author, then the followers of its audience. The author, idle readers, and readers who hide the post do not get it: see
// package readers.
//
// # Once for each reader
//
//  1. A transaction commits only while its step has the job's lease. So one step at a time brings a post.
//  2. In that transaction, the delivery finds in its own documents the readers who already have the post, and skips
//     them.
//
// So a page may be repeated, after a crash at any point. Between two tries, readers may come, go, and move from one
// index document to another, and the post may name others: no reader gets the post twice. Readers who stay get it once.
//
// The package never removes a delivered post, and is not for digests.
package sending
