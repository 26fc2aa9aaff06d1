package relations

import (
	"context"
	"errors"
	"maps"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Tasks returns the tasks of the work of Post and Followed that is too much for one call.
func (x *Delivery) Tasks() []chunker.Task {
	return []chunker.Task{
		{Kind: schema.KindPost, Schema: 2, Phases: []chunker.Phase{{Name: "relations", Page: x.pagePost}}},
		{Kind: schema.KindIndex, Phases: []chunker.Phase{
			{Name: "posts", Page: x.pagePosts},
			{Name: "stale relations", Page: x.pageStale},
		}},
	}
}

// pagePosts backfills an index document that is not marked yet, or is damaged and can be
// mended. It skips relations that Firestore rejects, as the job of a post does. It marks
// the document when none is left.
//
// If the index document does not exist, its account was purged. A handler that had read
// it may enqueue this job after the purge has searched for such jobs. The job then
// deletes itself, because it names the account.
func (x *Delivery) pagePosts(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	if inSecondRound(job) && job.Generation != job.RunGeneration {
		return chunker.Page{}, nil // somebody has followed: the job starts over after the stale relations
	}
	u, i := job.Args[schema.ArgAuthor], job.Args[schema.ArgIndex]
	index, err := x.graph.ReadMending(ctx, u, i)
	if err != nil || index == nil || index.Backfilled {
		return chunker.Page{Gone: err == nil && index == nil}, err
	}
	created := index.Created.UnixMicro()
	if job.Counts[countCreated] != created {
		after = nil // a document of this name was removed, and this one needs the posts before too
	}
	q, err := x.postsOf(ctx, u, after)
	if err != nil {
		return chunker.Page{}, err
	}
	total, err := totalOf(ctx, job, q)
	if err != nil {
		return chunker.Page{}, err
	}
	docs, err := q.Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return chunker.Page{}, err
	}
	page := bulk.PageOf(docs, limit)
	if page.More {
		page.Last = posts.PlaceOf(docs[len(docs)-1])
	}
	page.Total = total
	err = x.backfillPosts(ctx, u, i, index, posts.IDsFor(u, docs))
	if err != nil && !work.OnlyRejected(err) {
		return chunker.Page{}, err
	}
	page, err = x.pastDamage(ctx, job, page, err)
	if more := created - job.Counts[countCreated]; more != 0 && page.More {
		page.Counts = maps.Clone(page.Counts)
		if page.Counts == nil {
			page.Counts = map[string]int64{}
		}
		page.Counts[countCreated] = more
	}
	if err == nil && !page.More {
		err = x.graph.MarkBackfilled(ctx, u, i, *index)
	}
	return page, err
}

// countCreated is the create time, in microseconds since 1970, of the index document
// that a walk of several pages over its author's posts has begun with.
const countCreated = "indexDocumentCreated"

// pageStale updates stale relations of an index document. It needs no cursor, because
// updated relations are no longer stale. Relations that Firestore rejects stay stale, so
// it reads that many more. It fails with them when nothing else is left.
func (x *Delivery) pageStale(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (chunker.Page, error) {
	u, i := job.Args[schema.ArgAuthor], job.Args[schema.ArgIndex]
	index, err := x.graph.ReadMeta(ctx, u, i)
	if d, ok := errors.AsType[*schema.DamagedIndex](err); ok {
		// Damaged since pagePosts read it: the job runs again, and mends it there.
		return chunker.Page{}, x.graph.EnqueueMending(ctx, d)
	}
	if err != nil || index == nil {
		return chunker.Page{Gone: err == nil}, err
	}
	total, err := totalOf(ctx, job, x.StaleQuery(u, i, index.Version))
	if err != nil {
		return chunker.Page{}, err
	}
	known := job.Counts[countRefused]
	most := limit + int(max(0, min(known, maxRefused))) // a person may have edited the count
	stale, err := x.staleRelations(ctx, u, i, index.Version, most)
	if err != nil {
		return chunker.Page{}, err
	}
	left, err := x.advanceAll(ctx, u, i, *index, stale)
	rejected := work.Rejections(err)
	page := chunker.Page{Done: len(stale) - left - int(rejected), More: len(stale) == most || left > 0, Total: total}
	if work.OnlyRejected(err) {
		switch {
		case page.Done > 0 || left > 0 || rejected > known:
			page.More, page.Counts = true, map[string]int64{countRefused: max(0, rejected-known)}
			return page, x.graph.SkipDamaged(ctx, err)
		case job.Generation != job.RunGeneration:
			return chunker.Page{}, nil // the job starts over, so that the next follow does not wait either
		}
	}
	if err == nil && !page.More {
		err = x.graph.EmptyChangeLog(ctx, u, i, *index)
	}
	return page, err
}

// maxRefused bounds how many rejected relations pageStale skips.
const maxRefused = 1000

// totalOf returns the total of a job on its first page, the number of documents that q
// finds; nil afterwards. It costs a read for each thousand documents. The total is only
// for display: more documents may come while the job runs.
func totalOf(ctx context.Context, job chunker.Job, q firestore.Query) (*int64, error) {
	if job.Total != nil {
		return nil, nil //nolint:nilnil // unchanged
	}
	n, err := bulk.Count(ctx, q)
	return &n, err
}

// CatchUp brings all relations of u's index document i up to date, however many. It runs
// the pages of the job that EnqueueIndex enqueues, without a job.
//
// When the others are done, it fails with the relations that Firestore rejects. A crash
// leaves stale relations, or the document unmarked: verify reports them, and the next
// call continues.
func (x *Delivery) CatchUp(ctx context.Context, u, i string) error {
	return x.withoutJob(ctx, map[string]string{schema.ArgAuthor: u, schema.ArgIndex: i}, x.pagePosts, x.pageStale)
}

// withoutJob runs the pages of phases as a job with args does.
func (x *Delivery) withoutJob(ctx context.Context, args map[string]string, phases ...chunker.PageFunc) error {
	job := chunker.Job{Args: args, Total: new(int64)} // a total that nobody reads
	var rejected work.Failures
	for _, next := range phases {
		page := chunker.Page{More: true}
		job.Counts = map[string]int64{}
		for inVain := 0; page.More; {
			var err error
			page, err = next(ctx, job, page.Last, x.db.Options.InlineLimit)
			if work.OnlyRejected(err) {
				rejected.Add(err)
				break
			}
			if err != nil {
				return err
			}
			for name, n := range page.Counts {
				job.Counts[name] += n
			}
			if page.Done > 0 || page.Last != nil || page.Counts[countRefused] > 0 {
				inVain = 0
			} else if inVain++; inVain == work.MaxRounds {
				return schema.ErrContention
			}
		}
	}
	return rejected.Joined()
}
