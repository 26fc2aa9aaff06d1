// Package feed reads feeds: the newest posts of everyone that a reader follows,
// page by page, for callers that may not, or would rather not, query the
// relations themselves. It is the reading side of package relations, whose
// documents it reads and never writes:
//
//	_relations/{postId}_{indexId}   postId, userId and createdAt; never followers
//	posts/{postId}                  whole
//
// A page of n posts is one query (n reads) and one batch get (n reads), whatever
// the number of follows. Of a relation with 10,000 follower ids some 300 bytes
// travel, and nobody is shown who else follows.
//
// # Pages
//
// Posts come newest first, and those of equal times by the names of their
// relations, descending. A reader who follows the cursors from the first page to
// the last gets every post that was in the feed when they began and still is,
// exactly once; a post that arrives meanwhile is given at most once. A post
// whose createdAt is changed meanwhile is another post for this purpose: it may
// be given at both its places, or at none.
//
// A relation can be ahead of its post or behind it. Where the post is gone, or
// has become another author's, the relation is left out and the page filled up by
// another query. After a few such rounds the page is returned as it is: a page may
// be short, or empty, and still not be the last. The last page is the one
// without a cursor.
//
// The smallest use:
//
//	f := feed.New(client, relations.Collections{})
//	page, err := f.Page(ctx, uid, 20, "")
//	next, err := f.Page(ctx, uid, 20, page.Cursor)
package feed
