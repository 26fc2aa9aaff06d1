// Package feed measures the function Feed: what a page takes on the wire beside
// the query that clients make themselves, how long it takes beside a bare
// handler that makes the same two calls, and what it allocates. `make bench-feed`
// prints the table.
//
// Firestore is the emulator, whose array-contains query looks at every document
// (43 ms for one with 10,000 ids): times are measured with small relations, and
// say nothing of its scan. Tokens are verified on the code path of production,
// signatures included; Google's certificates and accounts come from a stand-in
// in this process (testkit/tokens).
package feed
