// Package weather measures the time to feed in production's weather: from a client's write to the moment at which a reader
// finds what it brings. make bench-weather runs it.
//
//	go test ./bench/weather -run '^$' -bench . -benchtime 1x
//
// The weather is that of docs/weather.md, with waits of minutes and hours multiplied by -scale, without spells of errors; and
// composite indexes have been built, but in the case in which they build. Beside each time is that of a trigger on the same
// documents that does nothing: its subscription and its instances have the same weather.
//
// # How a time is taken
//
// A time ends when a reader's own query has returned what was written: the first pages of their relations by createdAt, or
// their timeline. The readers of a post are one for each index document, or each who has a timeline; those of a follow are the
// new follower, who has to find the author's twenty newest posts.
//
// To know when to ask, the commits of the functions are watched: a query cannot find a post before. Then the reader asks, and
// again each second if the query fails, as while its index builds. Not all readers ask: the emulator sorts all entries of an
// index for each query, so it would be measured itself. Those who do not have found a post when its commit is acknowledged,
// since Firestore's reads are consistent. Of others, one reader asks for each post and each follow; each case says how many of
// its own do. Follows of an author without posts end with the index document that has the follower. Before a write counts as
// never found, its reader asks once more.
//
// # What is printed
//
// Each row is printed when its case is over. p99 is there from 100 samples on. If others wait at p99 for more than twice as
// long as on a quiet day, or something does not end, the lines below say how runs and deliveries ended in that case, and how
// long subscriptions paused.
//
// # What is smaller than in production
//
// The emulator and all processes share the cores of one machine. Each row says how much of them was used. Where the
// emulator would be busy for more than half of the time, the case is smaller than its name in the issue, by its flag, and
// the output says the size.
package weather
