// Package mail is a delivery that writes documents for Firebase's extension Trigger Email
// (firestore-send-email), which sends them:
//
//	mail/{id}   bccUids    up to 50 readers
//	            template   name, and data: post, author and kind of the post
//	            post       the post's id; the extension ignores it
//
// The extension adds the field delivery. Names of readers go into blind copies alone, so that
// nobody sees the others.
//
// A post is mailed once, while it is new: see [Delivery.Post]. It goes to those whom it names and who follow
// its author, then to the followers of its audience, but not to its author, nor to who is idle or hides it
// by package readers. A job does that, so that a failure holds up no other delivery.
//
// # Once for each reader
//
//  1. A transaction commits only while its step has the job's lease. So one step at a time
//     writes mail of a post.
//  2. It asks which of its readers a document of the post names already, and leaves these out.
//
// So a page may be repeated, after a crash at any point. Readers may come, go, and move from one
// index document to another between two tries, and the post may name others: nobody gets two.
// Readers who stay get one. A document stays as long as its job may run: a week is enough.
//
// The package is not for other mail, such as a digest, and takes nothing back.
package mail
