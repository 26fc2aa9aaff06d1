// Package readers knows what readers have decided about their feeds. Clients write these
// documents, by rules; functions only read them:
//
//	users/{reader}/settings/feed     seenAt, hide and show: see [Settings]
//	users/{reader}/settings/read     up to where the reader has read: see [ReadAt]
//	users/{reader}/hidden/{postId}   the reader hides this post
//
// Functions add _hides/{postId}, with groups of readers: somebody in each of them hides this post.
//
// Deliveries ask it, in their transactions, who wants a post. Without ReaderSettings in
// [schema.Config], every reader gets every post, and nothing is read.
//
// No delivery reads settings/read, and no function has an event of it. A client may write it at each
// scroll: nobody waits for that.
package readers
