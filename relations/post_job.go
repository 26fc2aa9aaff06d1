package relations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
)

// enqueuePost enqueues a job for post p that covers generation. If the author has more
// than Lane index documents, the job has several lanes, each with a range of index ids.
// indexes are the ids of the audience's index documents. If there are none, as of a post
// that is gone, enqueuePost finds the audience in the relations, and reads those ids: see
// IndexIDs for the cost.
func (x *Delivery) enqueuePost(ctx context.Context, p, author, generation string, indexes []string, relations []relationMeta) error {
	if len(indexes) == 0 && len(relations) > 0 {
		last := relations[len(relations)-1] // the first may be direct
		audience := cmp.Or(last.audience, last.userID)
		if schema.CheckAuthorID(audience) == nil {
			var err error
			if indexes, err = x.graph.IndexIDs(ctx, audience); err != nil {
				return err
			}
		}
	}
	if author == "" && len(relations) > 0 {
		author = relations[0].userID
	}
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: schema.PostJobID(p), Kind: schema.KindPost, Generation: generation, Owner: schema.OwnerOf(author),
		Args:   map[string]string{schema.ArgPost: p, schema.ArgDocuments: strconv.Itoa(len(indexes))},
		Splits: splits(len(indexes), x.db.Options.Lane),
	})
}

// splits returns the index ids that begin the second and later lanes. It plans as many
// lanes as documents need with at most lane each, but at most chunker.MaxLanes. It
// returns none if one lane is enough.
func splits(documents, lane int) (ids []string) {
	lanes := min(chunker.MaxLanes, (documents+lane-1)/lane)
	for n := 1; n < lanes; n++ {
		ids = append(ids, schema.IndexID(1+n*documents/lanes))
	}
	return ids
}

// pagePost does what Post does, for one page of the job's lane, after the document after.
// A page has at most limit relations, and creates at most copiesPerPage. pagePost skips
// damaged index documents: mending one copies all its relations. See pastDamage.
func (x *Delivery) pagePost(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	p := job.Args[schema.ArgPost]
	if inSecondRound(job) && job.Generation != job.RunGeneration {
		return chunker.Page{}, nil // the post has changed: the job starts over, so that no edit waits
	}
	var applied error // by the last round
	err = work.UntilSettled(ctx, func() (stale int, err error) {
		applied = nil
		post, indexes, err := x.postAndIndexes(ctx, p)
		if err != nil {
			return 0, err
		}
		w := x.windowOf(p, job.Lane, after)
		indexes = w.of(indexes)
		if len(indexes) > limit {
			w.end(schema.RelationID(p, indexes[limit-1]))
		}
		relations, read, err := x.readRelations(ctx, p, w.query, limit)
		if err != nil {
			return 0, err
		}
		if read.More {
			w.end(read.Last.ID)
		}
		plan := planPost(post, w.of(indexes), relations)
		if most := copiesPerPage(x.db.Options); len(plan.create) > most {
			w.end(schema.RelationID(p, plan.create[most-1]))
			relations = slices.DeleteFunc(relations, func(r relationMeta) bool { return r.ref.ID > w.last })
			plan = planPost(post, w.of(indexes), relations)
		}
		page = w.page(w.of(indexes), relations)
		if after == nil {
			page.Total = documentsOf(job)
		}
		stale, applied = x.applyPost(ctx, p, post, plan)
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

// window is the range of a post's relations, by name, that a page covers: in the lane,
// after the cursor, up to and including last.
type window struct {
	x     *Delivery
	post  string
	lane  chunker.Lane
	after string // relation id; "": from the first of the lane
	last  string // relation id; "": to the last of the lane
	query firestore.Query
}

func (x *Delivery) windowOf(p string, lane *chunker.Lane, after *firestore.DocumentRef) *window {
	w := &window{x: x, post: p, query: x.relationsOfPost(p)}
	if lane != nil {
		w.lane = *lane
	}
	if w.lane.To != "" {
		w.query = w.query.EndBefore(x.db.Relation(p, w.lane.To))
	}
	switch {
	case after != nil:
		w.after, w.query = after.ID, w.query.StartAfter(after)
	case w.lane.From != "":
		w.query = w.query.StartAt(x.db.Relation(p, w.lane.From))
	}
	return w
}

// end ends the window after the relation with that id, unless it already ends earlier.
func (w *window) end(id string) {
	if w.last == "" || id < w.last {
		w.last = id
		w.query = w.query.EndAt(w.x.db.Relations().Doc(id))
	}
}

// of returns the index ids whose relation lies in the window.
func (w *window) of(indexes []string) (in []string) {
	for _, i := range indexes {
		id := schema.RelationID(w.post, i)
		if i >= w.lane.From && (w.lane.To == "" || i < w.lane.To) && id > w.after && (w.last == "" || id <= w.last) {
			in = append(in, i)
		}
	}
	return in
}

// page returns the window as a finished page. Done counts index documents, and relations
// that belong to none of them.
func (w *window) page(indexes []string, relations []relationMeta) chunker.Page {
	page := chunker.Page{Done: len(indexes), More: w.last != ""}
	for _, r := range relations {
		if !slices.Contains(indexes, r.indexID) && r.indexID != schema.DirectIndex {
			page.Done++
		}
	}
	if slices.Contains(indexes, schema.DirectIndex) {
		page.Done-- // the job's total does not count it
	}
	if page.More {
		page.Last = w.x.db.Relations().Doc(w.last)
	}
	return page
}

// documentsOf returns how many index documents a job, or its lane, covers; nil if
// unknown.
func documentsOf(job chunker.Job) *int64 {
	documents, err := strconv.Atoi(job.Args[schema.ArgDocuments])
	if err != nil || documents == 0 {
		return nil
	}
	from, to := 1, documents+1
	if l := job.Lane; l != nil {
		if n, ok := schema.IndexNumber(l.From); ok {
			from = n
		}
		if n, ok := schema.IndexNumber(l.To); ok {
			to = n
		}
	}
	total := int64(to - from)
	return &total
}

// postAndIndexes returns post p (nil: gone or bad) and the index ids of the relations that
// it should have.
func (x *Delivery) postAndIndexes(ctx context.Context, p string) (*PostState, []string, error) {
	post, _, err := x.CurrentPost(ctx, p)
	if post == nil {
		if errors.Is(err, schema.ErrBadDocument) {
			err = nil // the event's handler reports it
		}
		return nil, nil, err
	}
	indexes, err := x.indexesOf(ctx, post)
	return post, relationsOf(post, indexes), err
}
