package feed

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/relations"
)

// Query is the query that a reader's client makes: the newest posts of everyone
// that the reader follows, newest first, as relations. Rules want it with a limit
// of at most [MaxLimit]. Each relation that it finds is one read, and is downloaded
// whole unless fields are selected.
func Query(client *firestore.Client, reader string) firestore.Query {
	return client.Collection(relations.Relations).
		Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc)
}
