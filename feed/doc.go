// Package feed reads feeds, page by page: the newest posts of everyone that a reader
// follows, and those that name the reader. It also reads slices: the posts that refer to an
// id, as far as the reader may read them. It is for callers that may not query the relations
// or posts themselves, or prefer not to. It writes nothing but the first key of cursors, where it may:
// see [Keys]. It reads these documents:
//
//	_relations/{postId}_{indexId}   postId, userId, audience and createdAt; never followers
//	posts/{postId}                  whole; for a slice also the fields that say who may read it
//	users/{audience}                for a slice: name, ownerId and closed
//	users/{audience}/followers/{reader}
//	users/{reader}/following        for pull: indexId
//	users/{reader}/blocked/{author} for posts that name the reader
//	users/{reader}/timeline/{id}    for timelines
//	_settings/cursors               the keys of cursors, once a process
//	_settings/horizon               with a horizon, once a minute: how old posts with relations may be
//
// A page of a feed of n posts takes one query (n reads) and one batch get (n reads), for any
// number of follows, and a read for each author who names the reader. A relation with 10,000
// follower ids sends about 300 bytes. Readers
// cannot see the other followers. A page of a slice takes a read more for each audience in
// it, and another if that is closed. A page of pull takes up to 70 queries.
//
// # Pages
//
// A page takes entries from a source, newest first: relations for a feed, or posts in
// their place (pull), and posts for a slice.
// It gets their posts by name, and leaves out those that are gone, hidden, or no longer as
// the entry says: an entry can be ahead of its post or behind it.
//
// Entries of the same time are ordered by name, descending. If you follow the cursors from
// the first page to the last, each post that is there all the time comes exactly once,
// although it may have several relations. A post that arrives meanwhile comes at most once. A
// post whose createdAt changes meanwhile may come at both places, or at none.
//
// The page queries again for posts that are missing, and for twice as many, since each may
// have two entries. After at most five queries, the page is returned as it is. So a short or
// empty page may not be the last. The last page is the one without a cursor.
//
// # Use it
//
//	f := feed.New(client, schema.Config{}, nil)
//	page, err := f.Page(ctx, uid, 20, "")
//	next, err := f.Page(ctx, uid, 20, page.Cursor)
//	about, err := f.Slice(ctx, uid, "job-17", 20, "")
package feed
