package deliverytest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex"
	"example.com/relationindex/accounts"
	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/deliverytest"
)

// overrides are what the queries of entries need beside the project's indexes: by post,
// author and audience, in the entries of all readers.
const overrides = `[
	{"collectionGroup": "entries", "fieldPath": "post", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]},
	{"collectionGroup": "entries", "fieldPath": "author", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]},
	{"collectionGroup": "entries", "fieldPath": "audience", "indexes": [
		{"order": "ASCENDING", "queryScope": "COLLECTION"}, {"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]}
]`

// indexes returns the project's indexes and overrides.
func indexes(t *testing.T) []byte {
	t.Helper()
	var file struct {
		Indexes        json.RawMessage   `json:"indexes"`
		FieldOverrides []json.RawMessage `json:"fieldOverrides"`
	}
	var more []json.RawMessage
	err := errors.Join(json.Unmarshal(relationindex.FirestoreIndexes, &file), json.Unmarshal([]byte(overrides), &more))
	if err != nil {
		t.Fatal(err)
	}
	file.FieldOverrides = append(file.FieldOverrides, more...)
	all, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// suite is the conformance suite of entries, or of a broken variant.
func suite(t *testing.T, broken fault) deliverytest.Suite {
	return deliverytest.Suite{
		Collections: []string{"entries"},
		Indexes:     indexes(t),
		Open: func(t *testing.T, p deliverytest.Process) deliverytest.System {
			db, err := schema.Open(p.Client, schema.Config{NoOwnPosts: true, Logger: p.Logger})
			if err != nil {
				t.Fatal(err)
			}
			graph := followers.New(db, p.Engine)
			d := &entries{p.Client, graph, broken}
			graph.Deliver(d)
			return deliverytest.System{Graph: graph, Accounts: accounts.New(graph), Feed: d.feed}
		},
	}
}

// feed returns what a reader sees.
func (d *entries) feed(ctx context.Context, reader string) ([]deliverytest.Seen, error) {
	docs, err := d.entriesOf(reader).OrderBy("at", firestore.Desc).Documents(ctx).GetAll()
	var posts []deliverytest.Seen
	for _, doc := range docs {
		at, _ := doc.Data()["at"].(time.Time)
		posts = append(posts, deliverytest.Seen{Post: doc.Ref.ID, At: at})
	}
	return posts, err
}
