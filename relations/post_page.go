package relations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// todoOf is the work of a page of a post's relations.
type todoOf struct {
	post       *posts.Post // nil: gone, or bad
	bad        error       // the error in the post
	damaged    error       // the error in the audience's list of index documents: then nothing is created
	generation string
	indexes    []string        // of all relations that the post should have
	relations  []plan.Relation // in the page, as they were read
	todo       plan.Todo
	waits      bool         // relations to create wait for the end of the brake, and are not in todo
	page       chunker.Page // as it is when todo is done
}

// planPost reads the post, the ids of the audience's index documents, and the relations of a window, without their
// arrays. It plans a page: the missing, outdated or superfluous relations among at most limit. The page creates only as
// many as bytes of follower ids allow. Each window is reconciled on its own: no page depends on another page.
//
// If the audience's list of index documents is damaged, the page creates no relations, but still updates and deletes
// the existing ones. While the brake is on, or unless it brings, it does the same. The page also deletes a relation that a
// later relation replaces. It removes the people whom the post names no longer from the direct relation.
func (x *Delivery) planPost(ctx context.Context, p string, w *plan.Window, limit, bytes int, brings bool) (t todoOf, err error) {
	named := true
	horizon, err := x.db.Horizons.Read(ctx)
	if err != nil {
		return t, err
	}
	t.post, t.generation, t.bad = posts.Current(ctx, x.db, p)
	if t.bad != nil && !errors.Is(t.bad, schema.ErrBadDocument) {
		return t, t.bad
	}
	if t.post != nil {
		t.bad = t.post.Bad
		if t.post.Audience != "" {
			if t.indexes, err = x.graph.IndexIDs(ctx, t.post.Audience); schema.OnlyDamaged(err) {
				t.damaged = err
			} else if err != nil {
				return t, err
			}
		}
		t.indexes = plan.IndexesOf(t.post, t.indexes)
		named = len(t.post.ByName(ctx)) == len(t.post.Recipients)
	}
	if in := w.Of(t.indexes); len(in) > limit {
		w.End(schema.RelationID(p, in[limit-1]))
	}
	docs, err := w.Query.Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return t, err
	}
	if read := bulk.PageOf(docs, limit); read.More {
		w.End(read.Last.ID)
	}
	others := func(r plan.Relation) bool { return r.Post != p }
	t.relations = slices.DeleteFunc(plan.Decode(x.db.Config, docs), others)
	t.todo = plan.Compare(t.post, w.Of(t.indexes), t.relations, horizon, time.Now())
	if t.waits = brings && x.db.Braked() && len(t.todo.Create) > 0; t.waits || !brings {
		t.todo = plan.Compare(t.post, nil, t.relations, horizon, time.Now()).Narrowed(t.todo.Create)
	} else if create := t.todo.Create; !named && len(create) > 0 && create[0] == schema.DirectIndex {
		t.todo = plan.Compare(t.post, w.Of(t.indexes)[1:], t.relations, horizon, time.Now()).Narrowed(create)
	}
	if most := plan.CopiesOfBytes(x.db.Config, bytes); len(t.todo.Create) > most {
		w.End(schema.RelationID(p, t.todo.Create[most-1]))
		t.relations = w.Before(t.relations)
		t.todo = plan.Compare(t.post, w.Of(t.indexes), t.relations, horizon, time.Now())
	}
	t.page = w.Page(w.Of(t.indexes), t.relations)
	return t, nil
}

// pagePost does the work of Post for one page of the job's range, after the document after.
func (x *Delivery) pagePost(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	p := job.Args[schema.ArgPost]
	r := plan.RangeOf(job)
	var damaged error
	if _, limited := job.Args[schema.ArgNamed]; limited {
		ctx = posts.NamingOnly(ctx, nil)
	}
	err = work.UntilSettled(ctx, func() (stale int, err error) {
		t, err := x.planPost(ctx, p, plan.WindowOf(x.db, p, r, after), limit, schema.CopiesBytes, job.Args[schema.ArgEdited] == "")
		if err != nil {
			return 0, err
		}
		damaged = t.damaged
		t.page.Waits = t.waits
		if page = t.page; after == nil {
			page.Total = r.Documents(job)
		}
		return x.applyPost(ctx, p, t.post, t.todo)
	})
	if err = errors.Join(err, damaged); err != nil {
		err = fmt.Errorf("relations of %s: %w", x.db.Post(p).Path, err)
	}
	return page, err
}

// enqueuePost enqueues the jobs of post p: one for each range of Range index documents, the last without an end. The
// jobs are independent of each other. Their ids begin with [schema.PostJobs].
//
// The ranges divide the index documents of the audience. If the post is gone, they divide the index documents of the
// audience that its relations name. If these are unknown, there is one range.
//
// A crash before the last job is stored leaves the event, which enqueues the others: the existing jobs already cover the
// generation. A job of a range that the post no longer has may still run, or be done: it does no harm beside the others.
// The jobs of [Delivery.Edited] have ids of their own: a job that brings the post must not count as done with them.
func (x *Delivery) enqueuePost(ctx context.Context, p string, t todoOf, brings bool) (stale int, err error) {
	author, indexes := "", t.indexes
	if t.post != nil {
		author = t.post.Author
	}
	if n := len(t.relations); n > 0 {
		last := t.relations[n-1] // the first may be direct
		author = cmp.Or(author, last.UserID)
		if audience := cmp.Or(last.Audience, last.UserID); len(indexes) == 0 && schema.CheckAccountID(audience) == nil {
			if indexes, err = x.graph.IndexIDs(ctx, audience); err != nil && !schema.OnlyDamaged(err) {
				return 0, err
			}
		}
	}
	documents := len(indexes)
	if documents > 0 && indexes[0] == schema.DirectIndex {
		documents--
	}
	return work.Each(ctx, x.graph.Pool, plan.Ranges(documents, x.db.Config.Range), func(ctx context.Context, r plan.Range) error {
		spec := chunker.Spec{
			ID: schema.PostJobID(p, r.Name()), Kind: schema.KindPost, Generation: t.generation, Owner: x.db.OwnerOf(author),
			Args: map[string]string{
				schema.ArgPost: p, schema.ArgFrom: r.From, schema.ArgTo: r.To, schema.ArgDocuments: strconv.Itoa(documents),
			},
		}
		if !brings {
			spec.ID, spec.Args[schema.ArgEdited] = schema.PostJobID(p, "edit-"+r.Name()), "true"
		} else if posts.Limited(ctx) {
			spec.Args[schema.ArgNamed] = ""
		}
		return x.engine.Enqueue(ctx, spec)
	})
}
