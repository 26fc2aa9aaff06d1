// Package guard rejects on the Firestore emulator what production would reject. The emulator answers every query, with or
// without an index, and accepts documents and transactions that are too large for production. Then the first users find both
// errors. A [Guard] is a pair of interceptors for a client that is connected to an emulator:
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
// A commit that is larger than one of Firestore's documented limits fails with InvalidArgument, and the error names
// the document, the limit and the size. No message holds a value of a document or of a filter.
//
// # What it decides, and how sure it is
//
// Firestore's documented rules decide which queries are served. A query needs one index: its fields are the fields with
// equality filters, in any order, and then the query's order. Or it needs several such indexes that end with the same order and
// together have all of the equality filters. Where the documents are silent or contradict each other, the guard rejects: see
// serve.go. Sizes are counted at the worst case that has been seen: see [MaxIndexEntries] and the constants beside it.
//
// # What it is not for
//
// It sees only the calls of its client, and not those of other clients. It judges the calls that Firestore's server libraries
// make: queries, aggregations, listens, Commit and BatchWrite. It does not judge vector searches, pipelines, and the Write
// stream of mobile clients. For commits it reads the current state of the written documents, over a connection of its own to the
// same emulator. This connection has the owner's rights, which rules do not limit: do not give a guard a connection to production.
package guard
