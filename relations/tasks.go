package relations

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// The kinds of jobs and the names of their arguments, as stored.
const (
	kindPost    = "relations.post"    // Post, in pages
	kindIndex   = "relations.index"   // sync and backfill, in pages
	kindPurge   = "relations.purge"   // an account is deleted
	kindProfile = "relations.profile" // an author's name or picture has changed

	argPost      = "post"
	argDocuments = "documents" // how many index documents the author had, a decimal number
	argAuthor    = "author"
	argIndex     = "index"
)

// tasks are what Post and sync become when there is too much for one call, and
// what is a job from the start.
func (x *Index) tasks() []chunker.Task {
	return []chunker.Task{
		{Kind: kindPost, Schema: 2, Phases: []chunker.Phase{{Name: "relations", Page: x.pagePost}}},
		{Kind: kindIndex, Phases: []chunker.Phase{
			{Name: "posts", Page: x.pagePosts},
			{Name: "stale relations", Page: x.pageStale},
		}},
		x.purgeTask(),
		x.profileTask(),
	}
}

// pagePosts backfills an index document that is not marked yet, or is damaged
// and can be mended. It goes past relations that Firestore refuses, as the job of a post
// does, and marks the document when none is left.
//
// An index document that is not there is one of a purged account. A job for it
// that was enqueued by a handler which had read it before, after the purge had
// looked for such jobs, discards itself: it names the account.
func (x *Index) pagePosts(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	if inSecondRound(job) && job.Generation != job.RunGeneration {
		return chunker.Page{}, nil // somebody follows: the job starts over after the stale relations
	}
	u, i := job.Args[argAuthor], job.Args[argIndex]
	index, err := x.readMending(ctx, u, i)
	if err != nil || index == nil || index.Backfilled {
		return chunker.Page{Gone: err == nil && index == nil}, err
	}
	total, err := totalOf(ctx, job, x.authorPosts(u))
	if err != nil {
		return chunker.Page{}, err
	}
	q := x.authorPosts(u).Limit(limit)
	if after != nil {
		q = q.StartAfter(after)
	}
	posts, err := q.Documents(ctx).GetAll()
	if err != nil {
		return chunker.Page{}, err
	}
	page := chunker.PageOf(posts, limit)
	page.Total = total
	err = x.backfillPosts(ctx, u, i, index, ids(posts))
	if err != nil && !onlyRefused(err) {
		return chunker.Page{}, err
	}
	page, err = x.pastDamage(ctx, job, page, err)
	if err == nil && !page.More {
		err = x.markBackfilled(ctx, u, i, *index)
	}
	return page, err
}

// pageStale advances relations that are behind their index document. What it
// has done is no longer stale, so there is no cursor. It reads more by those that
// Firestore refuses, which stay stale, and fails with them when nothing else is left.
func (x *Index) pageStale(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (chunker.Page, error) {
	u, i := job.Args[argAuthor], job.Args[argIndex]
	index, err := x.readMeta(ctx, u, i)
	if d, ok := errors.AsType[*damagedIndex](err); ok {
		// Damaged since pagePosts read it: the job, run anew, mends it there.
		return chunker.Page{}, x.enqueueMending(ctx, d)
	}
	if err != nil || index == nil {
		return chunker.Page{Gone: err == nil}, err
	}
	total, err := totalOf(ctx, job, x.staleQuery(u, i, index.Version))
	if err != nil {
		return chunker.Page{}, err
	}
	known := job.Counts[countRefused]
	most := limit + int(max(0, min(known, maxRefused))) // a person may have written another number
	stale, err := x.staleRelations(ctx, u, i, index.Version, most)
	if err != nil {
		return chunker.Page{}, err
	}
	left, err := x.advanceAll(ctx, u, i, *index, stale)
	refused := refusedIn(err)
	page := chunker.Page{Done: len(stale) - left - int(refused), More: len(stale) == most || left > 0, Total: total}
	if onlyRefused(err) {
		switch {
		case page.Done > 0 || left > 0 || refused > known:
			page.More, page.Counts = true, map[string]int64{countRefused: max(0, refused-known)}
			return page, x.goPast(ctx, err)
		case job.Generation != job.RunGeneration:
			return chunker.Page{}, nil // the job starts over, so that the next follow does not wait either
		}
	}
	if err == nil && !page.More {
		err = x.forget(ctx, u, i, *index)
	}
	return page, err
}

// maxRefused bounds how many relations that Firestore refuses a page of stale ones goes past.
const maxRefused = 1000

// totalOf is how many documents a job has to do that does not know it yet, which
// is at its first page: those of the query; nil afterwards. It costs a read for
// each thousand, and is for who watches: more may come while the job runs.
func totalOf(ctx context.Context, job chunker.Job, q firestore.Query) (*int64, error) {
	if job.Total != nil {
		return nil, nil //nolint:nilnil // unchanged
	}
	n, err := chunker.Count(ctx, q)
	n += job.Done // of a job that was begun before there were totals
	return &n, err
}

// catchUp brings the relations of u's index document i up to date, however many
// they are: it does the pages of the job that enqueueIndex makes, here and now.
//
// Relations that Firestore refuses fail it when all others are done. A crash leaves
// relations that are behind, or the document unmarked: verify names them, and the next
// call goes on.
func (x *Index) catchUp(ctx context.Context, u, i string) error {
	job := chunker.Job{Args: map[string]string{argAuthor: u, argIndex: i}, Total: new(int64)} // nobody watches
	var refused failures
	for _, work := range []chunker.PageFunc{x.pagePosts, x.pageStale} {
		page := chunker.Page{More: true}
		job.Counts = map[string]int64{}
		for inVain := 0; page.More; {
			var err error
			page, err = work(ctx, job, page.Last, x.opts.InlineLimit)
			if onlyRefused(err) {
				refused.add(err)
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
			} else if inVain++; inVain == maxRounds {
				return ErrContention
			}
		}
	}
	return refused.joined()
}

// chunks are the parts of items, each of at most size.
func chunks[T any](items []T, size int) [][]T { return slices.Collect(slices.Chunk(items, size)) }

func ids(docs []*firestore.DocumentSnapshot) []string {
	out := make([]string, len(docs))
	for n, doc := range docs {
		out[n] = doc.Ref.ID
	}
	return out
}
