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
// Firestore's reads are consistent: a query finds a document from when its commit is acknowledged. So a time ends when the
// last commit is acknowledged that the reader's query needs. For a post these are the reader's relation, or an entry in
// their timeline; for a follow, the relations of the author's newest posts, or of an author without posts the index document
// that has the reader. When a case is over, some of the readers ask: their queries must return what the times say.
//
// To watch commits costs the emulator nothing. It sorts all entries of an index for each query, so readers who ask again and
// again would be what is measured.
//
// # What is smaller than in production
//
// The emulator and all processes share the cores of one machine. Each row says how much of them was used. Where the
// emulator would be busy for more than half of the time, the case is smaller than its name in the issue, by its flag, and
// the output says the size.
package weather
