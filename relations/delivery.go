package relations

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/batch"
	"example.com/relationindex/schema"
)

// Delivery keeps the relations of a database. It is safe for concurrent use. Make one for
// each process, so that its events share work.
type Delivery struct {
	db     *schema.Database
	graph  *followers.Graph
	engine *chunker.Engine
	syncs  *batch.Group[indexKey, struct{}, struct{}] // by index document
}

var _ followers.Delivery = (*Delivery)(nil)

// indexKey names an index document.
type indexKey struct{ author, index string }

// New makes the delivery by relations for a graph. It sends no requests.
func New(graph *followers.Graph) *Delivery {
	db := graph.Database()
	x := &Delivery{db: db, graph: graph, engine: graph.Engine()}
	x.syncs = &batch.Group[indexKey, struct{}, struct{}]{
		Run: func(ctx context.Context, b *batch.Batch, key indexKey, items []struct{}) []batch.Outcome[struct{}] {
			return batch.AllFailed[struct{}](len(items), graph.PastDamage(ctx, x.sync(ctx, b, key.author, key.index)))
		},
		Timeout: schema.BatchTimeout, Pace: schema.SyncPace, Logger: db.Config.Logger,
	}
	return x
}

// Followed brings the relations of the index documents that the follower joined or left up
// to date. Concurrent calls for an index document share one pass over its relations.
//
// A crash before the end leaves index documents ahead of their relations. The event is
// redelivered, finds the edge, and Followed is called again.
func (x *Delivery) Followed(ctx context.Context, c followers.Change) error {
	var errs []error
	for _, i := range c.Indexes {
		if _, err := x.syncs.Do(ctx, indexKey{c.Author, i}, struct{}{}); err != nil {
			errs = append(errs, fmt.Errorf("sync %s: %w", x.db.IndexDocuments(c.Author).Doc(i).Path, err))
		}
	}
	return errors.Join(errs...)
}

// PostJob returns the common prefix of the ids of the jobs that reconcile post p.
func (x *Delivery) PostJob(p string) string { return schema.PostJobs(p) }

// Forget returns the relations of a deleted account: the relations of its posts, and the relations to its followers. If
// posts are kept, their relations to recipients and to groups stay.
func (x *Delivery) Forget() []followers.Forgotten {
	return []followers.Forgotten{{Name: "relations", Documents: x.relationsOf}}
}

func (x *Delivery) relationsOf(u string) firestore.Query {
	if x.db.Config.KeepPosts {
		return x.db.Relations().Where(schema.FieldAudience, "==", u).Select()
	}
	return x.db.Relations().WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
		firestore.PropertyFilter{Path: schema.FieldUserID, Operator: "==", Value: u},
		firestore.PropertyFilter{Path: schema.FieldAudience, Operator: "==", Value: u},
	}}).Select()
}
