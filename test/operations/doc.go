// Package operations tests a living system, on the emulator. It has only tests.
//
// Operators change the system while clients go on writing: a new capacity, an installation with
// followers and posts already there, a restored export. The tests follow the steps of docs/operations.
//
// # Pages
//
// Pages of a feed have no gaps and no repeats while posts arrive. This holds for pages of the function
// Feed, and for pages of the clients' own query.
//
// Two readers page from the first post to the last in both ways, one page of each in turn. After each
// page a post arrives: at the top of the feed, or in between, at exactly the time of other posts. The
// model is a set. Posts from before must be in each reading once, and later ones at most once. Times
// never increase from one post to the next.
//
// With a horizon, readers read to the end through Feed, which begins with relations and goes on with
// posts. Meanwhile posts arrive and go, and follows change.
//
// Readers of timelines of every layout read pages of several sizes, while posts arrive, are deleted
// and are hidden. In ranked timelines, comments have lifted some posts.
package operations
