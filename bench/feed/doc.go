// Package feed measures the function Feed: the calls of a page on the wire, beside the clients' own
// query; the time of a page, beside a bare handler with the same two calls; and the allocations. `make
// bench-feed` prints the table.
//
// Firestore is the emulator. Its array-contains query reads every document (43 ms for one with 10,000
// ids). So times are measured with small relations, and do not include such a scan. Tokens are
// verified on the production code path, signatures included. Google's certificates and accounts come
// from a stand-in in this process (testkit/tokens).
package feed
