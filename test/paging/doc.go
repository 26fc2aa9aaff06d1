// Package paging tests that pages of a feed have no gaps and no repeats while
// posts arrive: those of the function Feed, and those of the query that clients
// make themselves. It holds tests only.
//
// Twenty readers page from the first post to the last in both ways, and with each
// page that one of them reads two posts arrive, 500 in all: at the top of the
// feed, and in between, some at exactly the times of others. The model is a set: what was in the feed before the first reader began
// must be in each reading once; what came later, at most once; and times never
// increase from one post to the next.
package paging
