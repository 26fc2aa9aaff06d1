// Package guard refuses on the Firestore emulator what production would refuse. The emulator answers every query, with or
// without an index, and takes documents and transactions that production finds too large; both are then found by the
// first user. A [Guard] is a pair of interceptors for a client that is connected to an emulator:
//
//	g, err := guard.Parse(text) // of firestore.indexes.json
//	...
//	connection, err := g.Connect(emulatorHost)
//	client, err := firestore.NewClient(ctx, "demo-test", connection)
//
// A query that neither the automatic indexes nor the file's could serve fails with FailedPrecondition, and the error names
// the query and the index to add:
//
//	posts where tags array-contains ? order by createdAt desc: the query requires an index that firestore.indexes.json
//	does not have: add to its "indexes": {"collectionGroup":"posts", …}
//
// A commit that is too large in any of the ways that Firestore documents fails with InvalidArgument, and the error names
// the document, the limit and the size. No message holds a value of a document or of a filter.
//
// # What it decides, and how sure that is
//
// Which queries are served is decided by Firestore's documented rules: one index whose fields are those with equality filters, in
// any order, and then the query's order; or several such that end with the same order and together have all of the equality
// filters. Where the documents are silent or contradict each other, the guard refuses: see serve.go. Sizes are counted at the worst
// case that has been seen: see [MaxIndexEntries] and those beside it.
//
// # What it is not for
//
// It sees what its client sends, not what others do. It judges the calls that Firestore's server libraries make: queries,
// aggregations, listens, Commit and BatchWrite; not vector searches, pipelines, and the Write stream of mobile clients.
// For commits it reads the documents that are written, as they are, over a connection of its own to the same emulator, as
// the owner whom rules do not bind: do not give it a connection to production.
package guard
