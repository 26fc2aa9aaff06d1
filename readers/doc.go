// Package readers reads the decisions of readers about their feeds. Clients write these documents, by rules; functions
// only read them:
//
//	users/{reader}/settings/feed     seenAt, hide and show: see [Settings]
//	users/{reader}/settings/read     up to where the reader has read: see [ReadAt]
//	users/{reader}/hidden/{postId}   the reader hides this post
//
// Functions add _hides/{postId}, with groups of readers: in each group, at least one reader hides this post.
//
// Deliveries use the package, in their transactions, to find the readers who accept a post. It is off unless
// [schema.Config] sets ReaderSettings. When it is off, every reader accepts every post, and nothing is read.
//
// No delivery reads settings/read, and its events call no function. So a client may write it at each scroll: no function
// waits for it.
package readers
