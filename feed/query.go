package feed

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

// Query returns the query of a reader's client: the relations of the newest posts of
// everyone that the reader follows, newest first. Rules require a limit of at most
// [MaxLimit]. Each relation found costs one read, and is downloaded whole unless you
// select fields.
func Query(client *firestore.Client, reader string) firestore.Query {
	return client.Collection(names.Relations).
		Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc)
}
