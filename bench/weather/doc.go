// Package weather measures the time to feed in production's weather: from a client's write until a reader can find it. make
// bench-weather runs it.
//
//	go test ./bench/weather -run '^$' -bench . -benchtime 1x
//
// The weather is that of docs/weather.md, without bursts of errors. -scale multiplies long waits: see "Scale" there. Composite
// indexes are built, except in the case in which they build. Beside each time is that of a trigger on the same documents that
// does nothing (no-op): its subscription and its instances have the same weather.
//
// # How a time is taken
//
// A time ends when the reader can find the write. Some readers query; for the others the last commit of the functions counts,
// since reads are consistent.
//
// The readers of a post are one for each index document, or everybody with a timeline. They query their relations by createdAt,
// page by page, or their timeline. The reader of a follow is the new follower, who has to find the author's twenty newest posts.
// If the author has none, the time ends with the index document that has the follower.
//
// A reader queries when the functions have made the last commit that it needs, since a query cannot find the write before. It
// queries again each second if the query fails, as while its index builds. Few readers query: the emulator sorts all entries of
// an index for each query, so many queries would measure the emulator. For each post and each follow of others, one reader
// queries. For posts of a case, the field asking of author sets the number, and for its follows the argument asks of follow. A
// reader that waits for long queries too: the answer to its commit may have been lost.
//
// # Likes
//
// BenchmarkLikes, BenchmarkManyLikes, BenchmarkLikedFanOut and BenchmarkPageWithLikes measure numbers and notifications: what
// the functions read and write, and how long a number is behind what clients were told, at most. The number is looked at ten
// times a second, without weather. -likes and -loaded set the sizes.
//
// # What is printed
//
// Each row is printed when its case ends. p99 needs 100 samples. If others wait more than twice as long at p99 as on a quiet
// day, or something does not end, the lines below the row say how runs and deliveries ended in that case, and how long
// subscriptions paused.
//
// # What is smaller than in production
//
// The emulator and all processes share the cores of one machine. The first row of each case has the emulator's share of them.
// The emulator should be busy for less than half of the time, so the defaults are smaller than what an app may meet: for that,
// -burst 10000 -storm 500 -leaving 1000 -others 1000. A share above half is marked: the row then measures the emulator.
package weather
