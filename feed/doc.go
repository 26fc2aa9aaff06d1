// Package feed reads feeds: the newest posts of everyone that a reader follows, page by
// page. It is for callers that may not query the relations themselves, or prefer not
// to. It reads the documents of package relations, and never writes them:
//
//	_relations/{postId}_{indexId}   postId, userId and createdAt; never followers
//	posts/{postId}                  whole
//
// A page of n posts takes one query (n reads) and one batch get (n reads), for any
// number of follows. A relation with 10,000 follower ids sends about 300 bytes. Readers
// cannot see the other followers.
//
// # Pages
//
// Posts come newest first. Posts of the same time are ordered by the name of their
// relation, descending. If you follow the cursors from the first page to the last, each
// post that is in the feed all the time comes exactly once. A post that arrives
// meanwhile comes at most once. A post whose createdAt changes meanwhile may come at
// both places, or at none.
//
// A relation can be ahead of its post or behind it. If the post is gone, or has another
// author now, the page leaves the relation out and queries for more. After at most five
// queries, the page is returned as it is. So a short or empty page may not be the last.
// The last page is the one without a cursor.
//
// # Use it
//
//	f := feed.New(client, names.Collections{})
//	page, err := f.Page(ctx, uid, 20, "")
//	next, err := f.Page(ctx, uid, 20, page.Cursor)
package feed
