package relations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// enqueuePost enqueues a job for post p that covers generation. If the author has more
// than Lane index documents, the job has several lanes, each with a range of index ids.
// indexes are the ids of the audience's index documents. If there are none, as of a post
// that is gone, enqueuePost finds the audience in the relations, and reads those ids: see
// IndexIDs for the cost.
func (x *Delivery) enqueuePost(ctx context.Context, p, author, generation string, indexes []string, relations []plan.Relation) error {
	if len(indexes) == 0 && len(relations) > 0 {
		last := relations[len(relations)-1] // the first may be direct
		audience := cmp.Or(last.Audience, last.UserID)
		if schema.CheckAccountID(audience) == nil {
			var err error
			if indexes, err = x.graph.IndexIDs(ctx, audience); err != nil {
				return err
			}
		}
	}
	if author == "" && len(relations) > 0 {
		author = relations[0].UserID
	}
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: schema.PostJobID(p), Kind: schema.KindPost, Generation: generation, Owner: schema.OwnerOf(author),
		Args:   map[string]string{schema.ArgPost: p, schema.ArgDocuments: strconv.Itoa(len(indexes))},
		Splits: plan.Splits(len(indexes), x.db.Options.Lane),
	})
}

// pagePost does what Post does, for one page of the job's lane, after the document after.
// A page has at most limit relations, and creates at most plan.CopiesPerPage. pagePost skips
// damaged index documents: mending one copies all its relations. See pastDamage.
func (x *Delivery) pagePost(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	p := job.Args[schema.ArgPost]
	if inSecondRound(job) && job.Generation != job.RunGeneration {
		return chunker.Page{}, nil // the post has changed: the job starts over, so that no edit waits
	}
	horizon, err := x.db.Horizons.Read(ctx)
	if err != nil {
		return chunker.Page{}, err
	}
	var applied error // by the last round
	err = work.UntilSettled(ctx, func() (stale int, err error) {
		applied = nil
		post, indexes, err := x.postAndIndexes(ctx, p)
		if err != nil {
			return 0, err
		}
		w := plan.WindowOf(x.db, p, job.Lane, after)
		indexes = w.Of(indexes)
		if len(indexes) > limit {
			w.End(schema.RelationID(p, indexes[limit-1]))
		}
		relations, read, err := x.readRelations(ctx, p, w.Query, limit)
		if err != nil {
			return 0, err
		}
		if read.More {
			w.End(read.Last.ID)
		}
		todo := plan.Compare(post, w.Of(indexes), relations, horizon, time.Now())
		if most := plan.CopiesPerPage(x.db.Options); len(todo.Create) > most {
			w.End(schema.RelationID(p, todo.Create[most-1]))
			relations = w.Before(relations)
			todo = plan.Compare(post, w.Of(indexes), relations, horizon, time.Now())
		}
		page = w.Page(w.Of(indexes), relations)
		if after == nil {
			page.Total = plan.DocumentsOf(job)
		}
		stale, applied = x.applyPost(ctx, p, post, todo)
		return stale, applied
	})
	if err != nil && applied == nil {
		return page, err
	}
	if err != nil { // reads succeeded; applyPost failed, such as on a damaged index document
		err = fmt.Errorf("relations of %s: %w", x.db.Post(p).Path, err)
	}
	return x.pastDamage(ctx, job, page, err)
}

// postAndIndexes returns post p (nil: gone or bad) and the index ids of the relations that
// it should have.
func (x *Delivery) postAndIndexes(ctx context.Context, p string) (post *posts.Post, indexes []string, err error) {
	post, _, err = posts.Current(ctx, x.db, p)
	if post == nil {
		if errors.Is(err, schema.ErrBadDocument) {
			err = nil // the event's handler reports it
		}
		return nil, nil, err
	}
	indexes, err = x.indexesOf(ctx, post)
	return post, plan.IndexesOf(post, indexes), err
}
