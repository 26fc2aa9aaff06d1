// Package weather measures the time to feed in production's weather: from a client's write until a
// reader can find it. make bench-weather runs the benchmarks.
//
//	go test ./bench/weather -run '^$' -bench . -benchtime 1x
//
// The weather is that of docs/weather.md, without bursts of errors. -scale multiplies long waits: see
// "Scale" there. Composite indexes are built, except in the case of building ones. Beside each time is
// the time of a no-op trigger on the same documents. Its subscription and instances have the same
// weather.
//
// # How a time is taken
//
// A time ends when the reader can find the write. Some readers query. For the others, the last commit
// of the functions counts, since reads are consistent.
//
// A post has one reader for each index document; with timelines, every follower is a reader. They
// query their relations by createdAt, page by page, or their timeline. The reader of a follow is the
// new follower, who must find the author's twenty newest posts. If the author has none, the time ends
// with the index document that has the follower.
//
// A reader queries after the last commit that it needs, since a query cannot find the write earlier.
// If the query fails, for example while its index builds, it queries again each second. Few readers
// query: the emulator sorts all entries of an index for each query, so many queries would measure the
// emulator. For each post and each follow of others, one reader queries. For posts of a case, the
// field asking of author sets the number; for its follows, the argument asks of follow. A reader with
// a long wait also queries: the answer to its commit may have been lost.
//
// # Likes
//
// BenchmarkLikes measures numbers and notifications: the functions' reads and writes, and the longest
// delay of a number behind the clients' acknowledged writes. The number is read ten times a second,
// without weather. -likes sets the number of likes.
//
// # What is printed
//
// Each row is printed when its case ends. p99 needs 100 samples. More lines follow if readers wait
// more than twice as long at p99 as on a quiet day, or if something does not end. They give the ends
// of runs and deliveries in that case, and the pauses of subscriptions.
//
// # What is smaller than in production
//
// The emulator and all processes share the cores of one machine. The first row of each case has the
// emulator's share of them. The emulator should be busy for less than half of the time, so the
// defaults are smaller than an app's possible load. For that load, use -burst 10000 -storm 500
// -leaving 1000 -others 1000. A share above half is marked: the row then measures the emulator.
package weather
