// Package followers keeps who follows whom. Clients write follower documents, which are
// the truth. The package derives index documents and edges from them, keeps the list of
// index documents in the author's user document, and tells deliveries what changed.
//
//	engine := chunker.New(client, chunker.Options{})
//	db, err := schema.Open(client, schema.Config{})
//	graph := followers.New(db, engine)
//	graph.Deliver(relations.New(graph))
//	…
//	err = graph.Follow(ctx, "alice", "bob") // bob's follower document was written or deleted
//
// [Graph.Follow] receives only ids. It reads the current state and writes what is missing.
// You may call it repeatedly, concurrently, late and in any order.
//
// The package does not handle posts. A [Delivery] brings them to the followers.
package followers
