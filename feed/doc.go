// Package feed reads feeds, page by page: the newest posts of everyone that a reader
// follows, and those that name the reader. It also reads slices: the posts that refer to an
// id, as far as the reader may read them. Use it for callers that may not query relations or posts themselves, or prefer
// not to. It writes only the first key of cursors, where it may: see [Keys]. It reads these documents:
//
//	_relations/{postId}_{indexId}   postId, userId, audience and createdAt; never followers
//	posts/{postId}                  whole; for a slice also the fields that say who may read it
//	users/{audience}                for a slice: name, ownerId and closed
//	users/{audience}/followers/{reader}
//	users/{reader}/following        for pull: indexId
//	users/{reader}/blocked/{author} for posts that name the reader, of pull and for groups
//	users/{reader}/timeline/{id}    for timelines
//	_settings/cursors               the keys of cursors, once a process
//	_settings/horizon               with a horizon, once a minute: how old posts with relations may be
//
// A feed page of n posts takes one query (n reads) and one batch get (n reads), for any number of follows. It takes one
// more read for each author who names the reader in a post for a group that the reader follows. Feed downloads about 300 bytes of a relation, even if it has 10,000
// follower ids. Readers cannot see the other followers.
//
// A slice page takes one more read for each audience in the page, and another for each closed audience. A page of pull
// runs up to 70 queries, and takes one more read for each author who names the reader.
//
// # Pages
//
// A page takes entries from a source, newest first. The source is relations for a feed, posts for a feed without
// relations (pull), and posts for a slice. The page gets the entries' posts by name. It leaves out posts that are gone,
// hidden, or no longer match their entry: an entry can be ahead of its post or behind it.
//
// Entries of the same time are ordered by name, descending. Follow the cursors from the first page to the last: each
// post that exists all the time is returned exactly once, although it may have several relations. A post that arrives
// meanwhile is returned at most once. A post whose createdAt changes meanwhile may be returned at both places, or at
// neither.
//
// If posts are missing, the page queries again, for twice as many entries, because each post may have two. A slice whose
// last query found no post for the reader asks for 250. After at most five queries, the page is returned as it is. So a
// short or empty page may not be the last. The last page has no cursor.
//
// # Use it
//
//	f := feed.New(client, schema.Config{}, nil)
//	page, err := f.Page(ctx, uid, 20, "")
//	next, err := f.Page(ctx, uid, 20, page.Cursor)
//	about, err := f.Slice(ctx, uid, "job-17", 20, "")
package feed
