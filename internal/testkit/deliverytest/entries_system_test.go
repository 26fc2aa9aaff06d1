package deliverytest_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/assembly"
	"example.com/relationindex/internal/runtime/names"
	"example.com/relationindex/internal/testkit/deliverytest"
	"example.com/relationindex/schema"
)

// overrides are what the queries of entries need beside the project's indexes: by post,
// and by author, in the entries of all readers.
const overrides = `[
	{"collectionGroup": "entries", "fieldPath": "post", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]},
	{"collectionGroup": "entries", "fieldPath": "author", "indexes": [
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

// suite is the conformance suite of entries, or of a broken variant. Who follows whom,
// and the rest of an account's deletion, is left to the relation index.
func suite(t *testing.T, broken fault) deliverytest.Suite {
	return deliverytest.Suite{
		Collections: []string{"entries"},
		Indexes:     indexes(t),
		Open: func(t *testing.T, p deliverytest.Process) deliverytest.System {
			graph, err := assembly.New(p.Client, p.Engine, schema.Options{
				Collections: names.Collections{Posts: "none"}, Logger: p.Logger, // it makes no relations
			})
			if err != nil {
				t.Fatal(err)
			}
			d := newEntries(p.Client, p.Engine, broken)
			p.Engine.Register(forgetting(d, graph))
			return deliverytest.System{
				Follow: func(ctx context.Context, author, follower string) error {
					if err := graph.Graph.Follow(ctx, author, follower); err != nil {
						return err
					}
					return d.Followed(ctx, deliverytest.Change{Author: author, Follower: follower})
				},
				Post: d.Post,
				Purge: func(ctx context.Context, account string) error {
					hash := sha256.Sum256([]byte(account))
					return p.Engine.Enqueue(ctx, chunker.Spec{
						ID: "forget:" + hex.EncodeToString(hash[:]), Kind: kindForget, Generation: "1",
						Args: map[string]string{argAuthor: account}, Private: true,
					})
				},
				Feed: func(ctx context.Context, reader string) ([]string, error) {
					docs, err := d.entriesOf(reader).OrderBy("at", firestore.Desc).Documents(ctx).GetAll()
					var feed []string
					for _, doc := range docs {
						feed = append(feed, doc.Ref.ID)
					}
					return feed, err
				},
			}
		},
	}
}

const kindForget = "entries.forget"

// forgetting is the deletion of an account: the delivery's part, then the rest.
func forgetting(d *entries, graph *assembly.System) chunker.Task {
	task := chunker.Task{Kind: kindForget}
	for n, phase := range d.Forget("") {
		phase.Page = func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
			return d.Forget(job.Args[argAuthor])[n].Page(ctx, job, after, limit)
		}
		task.Phases = append(task.Phases, phase)
	}
	task.Phases = append(task.Phases, chunker.Phase{
		Name: "posts", Page: removing(func(job chunker.Job) firestore.Query {
			return d.client.Collection("posts").Where("userId", "==", job.Args[argAuthor])
		}),
	}, chunker.Phase{
		Name: "the rest", Page: func(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
			return chunker.Page{}, graph.Accounts.Purge(ctx, job.Args[argAuthor], job.Generation, "")
		},
	})
	return task
}
