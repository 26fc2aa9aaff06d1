// Package paging tests that pages of a feed have no gaps and no repeats while
// posts arrive: those of the function Feed, and those of the query that clients
// make themselves. It holds tests only.
//
// Two readers page from the first post to the last in both ways, a page of each in
// turn, and after each page a post arrives: at the top of the feed, or in between,
// at exactly the time of others. The model is a set: what was in the feed before
// must be in each reading once; what came later, at most once; and times never
// increase from one post to the next.
//
// With a horizon, readers read posts to their end through Feed, which begins with
// relations and goes on with posts, while posts arrive and go, and follows change.
//
// Readers of timelines of every layout read pages of several sizes, while posts arrive, are deleted
// and are hidden. Comments have lifted some, where timelines are ranked.
package paging
