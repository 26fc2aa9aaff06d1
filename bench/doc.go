// Package bench measures the relation index on the Firestore emulator: a burst of follows, a hop of a
// job, what one operation costs, and a page of Feed. It counts on the wire, and takes times from the
// clock of that run. Compare numbers of one run with each other. Absolute times depend on the machine.
//
//	make bench
//
// BenchmarkFeed measures the calls of a page on the wire, beside the clients' own query; the time of a
// page, beside a bare handler with the same two calls; and the allocations. The emulator's
// array-contains query reads every document (43 ms for one with 10,000 ids). So times are measured with
// small relations, and do not include such a scan. Tokens are verified on the production code path,
// signatures included. Google's certificates and accounts come from a stand-in in this process
// (testkit/tokens).
package bench
