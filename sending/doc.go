// Package sending brings each new post to its readers by the deliveries of an app's own ([schema.Delivery]): by mail, by
// push, or by documents that the app reads. One job for each post and delivery does that, so that a failure holds up no
// other delivery.
//
// A post is brought while it is new: see [Delivery.Post]. First come people whom it names and who follow its author, then
// the followers of its audience. The author, idle readers, and readers who hide the post do not get it: see package
// readers.
//
// # Once for each reader
//
//  1. A transaction commits only while its step has the job's lease. So one step at a time brings a post.
//  2. The delivery finds in its own documents, in that transaction, which of its readers have the post, and leaves
//     these out.
//
// So a page may be repeated, after a crash at any point. Readers may come, go, and move from one index document to
// another between two tries, and the post may name others: nobody gets it twice. Readers who stay get it once.
//
// The package takes nothing back, and is not for digests.
package sending
