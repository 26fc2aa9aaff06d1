//go:build long

package delivery

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

// A delivery that has nothing in common with relations keeps every promise.
func TestTrivialDeliveryKeepsPromises(t *testing.T) {
	t.Parallel()
	suite(t, sound).Run(t)
}

// A promise is worth nothing that no broken delivery breaks.
func TestSuiteFindsBrokenDeliveries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		broken  fault
		promise string
	}{
		"a follow brings no posts":                 {forgetsBackfill, "a follow that comes"},
		"a removal does not read the follow again": {removesBlindly, "an unfollow that is late for a new follow"},
		"a fan-out does not read the post again":   {readsOnce, "a post that is late for its deletion"},
		"a failed read is an empty answer":         {dropsReads, "a post whose reads fail"},
		"a deleted account stays in feeds":         {forgetsAuthors, "an author's deleted account that comes"},
		"an audience that was stays":               {keepsAudience, "another group that comes"},
		"a block keeps posts by name":              {forgetsNames, "a block of who names the reader that comes"},
		"the end of a block brings nothing":        {forgetsNames, "the end of a block that comes"},
		"a block leaves the follow":                {forgetsFollow, "a block of a follower that comes"},
		"a post by name does not read blocks":      {ignoresBlocks, "a post that names who blocks that comes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range suite(t, c.broken).Promises(t) {
				if p.Name != c.promise {
					continue
				}
				err := p.Check(t)
				if err == nil {
					t.Errorf("%q is kept", p.Name)
				}
				t.Log(err)
				return
			}
			t.Errorf("there is no promise %q", c.promise)
		})
	}
}

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

// suite is the conformance suite of the trivial delivery, or of a broken variant.
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
			d := &trivial{p.Client, graph, broken}
			graph.Deliver(d)
			return deliverytest.System{Graph: graph, Accounts: accounts.New(graph), Feed: d.feed, Block: d.block}
		},
	}
}

// feed returns what a reader sees.
func (d *trivial) feed(ctx context.Context, reader string) ([]deliverytest.Seen, error) {
	docs, err := d.entriesOf(reader).OrderBy("at", firestore.Desc).Documents(ctx).GetAll()
	var posts []deliverytest.Seen
	for _, doc := range docs {
		at, _ := doc.Data()["at"].(time.Time)
		posts = append(posts, deliverytest.Seen{Post: doc.Ref.ID, At: at})
	}
	return posts, err
}
