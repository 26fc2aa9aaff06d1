package relations

import (
	"context"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Tasks returns the tasks for the work of Post and Followed that exceeds one call. Their pages do the same work as the
// calls.
func (x *Delivery) Tasks() []chunker.Task {
	return []chunker.Task{
		{Kind: schema.KindPost, Phases: []chunker.Phase{{Name: "relations", Page: x.past(x.pagePost)}}},
		{Kind: schema.KindIndex, Noted: schema.ArgLeaving, Phases: []chunker.Phase{
			{Name: "posts", Page: x.past(x.pagePosts)},
			{Name: "stale relations", Page: x.past(x.pageStale)},
		}},
	}
}

// past returns a page of a job that continues past damage: see [followers.Graph.PastDamage].
func (x *Delivery) past(page chunker.PageFunc) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		done, err := page(ctx, job, after, limit)
		return done, x.graph.PastDamage(ctx, err)
	}
}

// backfill creates the relations of index document i of u, for up to limit posts after `after`. The index document was
// just opened, or rewritten. After the last post, backfill marks the document. With whole, it works only if all posts
// fit in this page and within [schema.InlineBytes]; otherwise it does nothing and sets More. While the brake is on and
// there are posts, it does nothing and sets Waits.
//
// The mark is only for the document that was read: see [followers.Graph.MarkBackfilled]. Posts whose relations Firestore
// rejects do not hold up the mark. A crash after the mark, and before the caller has stored jobs for these posts, leaves
// relations missing. Verify reports them.
//
// A concurrent post has its own fanout, which includes i: users/u names i since the
// transaction that opened it. A crash before the mark leaves the document unmarked. The next
// event, or the job, does the work again.
func (x *Delivery) backfill(ctx context.Context, u, i string, index schema.IndexDocument, after *firestore.DocumentRef, limit int, whole bool) (chunker.Page, error) {
	q, ended, err := x.postsOf(ctx, u, after)
	waits := x.db.Braked()
	if waits {
		limit = 1 // enough to find out whether there are any posts
	}
	var docs []*firestore.DocumentSnapshot
	if err == nil && !ended {
		docs, err = q.Limit(limit).Documents(ctx).GetAll()
	}
	if err != nil {
		return chunker.Page{}, err
	}
	if waits && len(docs) > 0 {
		return chunker.Page{Waits: true}, nil
	}
	page := bulk.PageOf(docs, limit)
	if page.More {
		page.Last = posts.PlaceOf(docs[len(docs)-1])
	}
	if whole && (page.More || len(docs)*index.SizeBytes > schema.InlineBytes) {
		page.More = true
		return page, nil
	}
	err = x.backfillPosts(ctx, u, i, &index, posts.IDsFor(u, docs))
	if page.More || err != nil && !work.OnlyRejected(err) {
		return page, err
	}
	marked, failed := x.graph.MarkBackfilled(ctx, u, i, index)
	if failed != nil {
		return page, failed
	}
	if !marked { // the document was rewritten meanwhile: backfill starts over
		page.More, page.Last = true, nil
	}
	return page, err
}

// postsOf returns a query for the posts to u that get relations now, after a page's last post. ended is true if all
// later posts are too old.
func (x *Delivery) postsOf(ctx context.Context, u string, after *firestore.DocumentRef) (q firestore.Query, ended bool, err error) {
	horizon, err := x.db.Horizons.Read(ctx)
	if from := horizon.Oldest(time.Now()); err != nil || !from.IsZero() {
		q, ended = posts.Since(x.db, u, from, after)
		return q, ended, err
	}
	q = posts.For(x.db, u)
	if after != nil && after.Parent.Parent == nil { // a cursor below a document is of a walk with a horizon: this walk then starts from the first post
		q = q.StartAfter(after)
	}
	return q, false, nil
}

// pagePosts is backfill for a job, which mends a damaged index document first. It also works on a document that somebody
// else has mended: posts may have skipped it while it was damaged.
//
// If the index document does not exist, its account was purged. A handler that had read
// it may enqueue this job after the purge has searched for such jobs. The job then
// deletes itself, because it names the account.
func (x *Delivery) pagePosts(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	u, i := job.Args[schema.ArgAuthor], job.Args[schema.ArgIndex]
	index, err := x.graph.ReadMending(ctx, job)
	if err != nil || index == nil || index.Backfilled && !strings.HasPrefix(job.Generation, schema.Damage) {
		return chunker.Page{Gone: err == nil && index == nil}, err
	}
	all, _, err := x.postsOf(ctx, u, nil)
	if err != nil {
		return chunker.Page{}, err
	}
	total, err := totalOf(ctx, job, all)
	if err != nil {
		return chunker.Page{}, err
	}
	life := index.Life()
	if job.Counts[countLife] != life {
		after = nil // the walk began with another document of this id: this document needs the earlier posts too
	}
	page, err := x.backfill(ctx, u, i, *index, after, limit, false)
	page.Total = total
	if more := life - job.Counts[countLife]; more != 0 && page.More {
		page.Counts = map[string]int64{countLife: more}
	}
	return page, err
}

// countLife is the name of a job's count. It holds the [schema.IndexDocument.Life] of the index document at the start
// of a walk over its author's posts in several pages.
const countLife = "indexDocumentLife"

// pageStale updates stale relations of an index document. It needs no cursor, because updated relations are no longer
// stale. Relations that Firestore rejects stay stale. It skips up to rejectedPages pages that contain only such
// relations. Stale relations beyond these pages are left to the repair that the rejected relations need.
func (x *Delivery) pageStale(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (chunker.Page, error) {
	u, i := job.Args[schema.ArgAuthor], job.Args[schema.ArgIndex]
	index, err := x.graph.ReadMeta(ctx, u, i)
	if err != nil || index == nil {
		return chunker.Page{Gone: err == nil}, err
	}
	q := x.StaleQuery(u, i, index.Version)
	total, err := totalOf(ctx, job, q)
	if err != nil {
		return chunker.Page{}, err
	}
	page := chunker.Page{Total: total}
	var failed work.Failures
	for range rejectedPages {
		docs, err := q.Limit(limit).Documents(ctx).GetAll()
		if err != nil {
			return chunker.Page{}, err
		}
		left, err := x.advanceAll(ctx, u, i, *index, x.decodeStale(u, docs))
		if err != nil && !work.OnlyRejected(err) {
			return chunker.Page{}, err
		}
		failed.Add(err)
		page.Done = len(docs) - left - work.Rejections(err)
		page.More = page.Done > 0 && len(docs) == limit || left > 0
		if page.More || len(docs) < limit {
			break
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
	if err = failed.Joined(); err == nil && !page.More {
		err = x.graph.EmptyChangeLog(ctx, u, i, *index)
	}
	return page, err
}

// rejectedPages is the number of pages of rejected relations that a job skips.
const rejectedPages = 10

// totalOf returns the total of a job, which is the number of documents that q finds. After the job's first page, it
// returns nil. It costs a read for each thousand documents. The total is only for display: more documents may come
// while the job runs.
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
// If Firestore rejects relations, CatchUp first updates the others, and then returns an error with the rejected ones. A
// crash leaves stale relations, or the document unmarked: verify reports them, and the next call continues.
func (x *Delivery) CatchUp(ctx context.Context, u, i string) error {
	var rejected work.Failures
	for _, next := range []chunker.PageFunc{x.pagePosts, x.pageStale} {
		job := chunker.Job{Args: map[string]string{schema.ArgAuthor: u, schema.ArgIndex: i}, Total: new(int64), Counts: map[string]int64{}} // a total that nobody reads
		page := chunker.Page{More: true}
		for inVain := 0; page.More; {
			var err error
			page, err = next(ctx, job, page.Last, x.db.Config.InlineLimit)
			if err != nil && !work.OnlyRejected(err) {
				return err
			}
			rejected.Add(err)
			for name, n := range page.Counts {
				job.Counts[name] += n
			}
			if page.Done > 0 || page.Last != nil {
				inVain = 0
			} else if inVain++; inVain == work.MaxRounds {
				return schema.ErrContention
			}
		}
	}
	return rejected.Joined()
}
