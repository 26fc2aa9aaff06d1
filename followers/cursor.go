package followers

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// CursorOf returns the cursor after a reader of an index document, for a job that walks followers:
// the name of a document that does not exist, users/{a}/followers_index/{i}/readers/{r}.
func CursorOf(db *schema.Database, audience, index, reader string) *firestore.DocumentRef {
	return db.IndexDocuments(audience).Doc(index).Collection(readersCollection).Doc(reader)
}

const readersCollection = "readers"

// PlaceOf returns the index document and the reader of a cursor; "" for the first ones, and
// for a cursor of another audience, which the post had before.
func PlaceOf(db *schema.Database, audience string, cursor *firestore.DocumentRef) (index, reader string) {
	if cursor == nil || cursor.Parent.ID != readersCollection || cursor.Parent.Parent == nil {
		return "", ""
	}
	if i := cursor.Parent.Parent; i.Parent.Path == db.IndexDocuments(audience).Path {
		return i.ID, cursor.ID
	}
	return "", ""
}
