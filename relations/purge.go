package relations

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// The receipt of a purge: what its job counts, before it removes the first.
// Counting what each page removes would count too little after a crash: a page
// that is done again finds the rest.
const (
	countFollowers      = "followers"      // follower documents of the account, each with its mirror
	countFollowing      = "following"      // follows by the account: its mirrors, each with a follower document and a place in an index document
	countIndexDocuments = "indexDocuments" // of the account
	countRelations      = "relations"      // of its posts
	countPosts          = "posts"          // 0 where they are kept
	countBlocked        = "blocked"        // whom the account has blocked
)

// Purge removes the account u, whose user document has been deleted, from all
// collections: its follows in both directions, its index documents, its
// relations, its posts unless KeepPosts is set, and the jobs that name it. That
// is left to a job, whose document is the receipt and holds the id of the
// account only until it is done. generation names the deletion: twice the same
// is once.
//
// The job's document is also the account's tombstone. A follow of it or by it
// whose event comes late, or that a client which was offline sends now, is
// removed by the handler of its event for as long as the document is there
// (seven days after its end; events come for one).
//
// An account whose user document is there, with fields of its own, is not
// purged: it has been made again.
func (x *Index) Purge(ctx context.Context, u, generation, eventID string) error {
	if err := CheckID(u); err != nil {
		return badDocument(x.opts.Collections.Users+"/"+u, "%v", err)
	}
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(u)})
	if err != nil {
		return fmt.Errorf("purge %s: %w", x.user(u).Path, err)
	}
	if hasProfile(snaps[0]) {
		return nil
	}
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: purgeJobID(u), Kind: kindPurge, Args: map[string]string{argAuthor: u},
		Generation: generation, Private: true, EventID: eventID,
	})
}

// Purged reports whether there is a purge job for u, finished or not. It costs a read.
func (x *Index) Purged(ctx context.Context, u string) (bool, error) {
	_, err := x.engine.Get(ctx, purgeJobID(u))
	if errors.Is(err, chunker.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// hasProfile reports whether a user document holds anything that we did not write.
func hasProfile(user *firestore.DocumentSnapshot) bool {
	if !user.Exists() {
		return false
	}
	for name := range user.Data() {
		if !IndexField(name) {
			return true
		}
	}
	return false
}

// IndexField reports whether a field of a user document is one of those that
// the functions write.
func IndexField(name string) bool { return name == fieldFollowersIndex || name == fieldLatestIndex }

// purgeTask removes an account, phase by phase. The order matters: follows
// before index documents, so that no event of theirs finds something to do;
// index documents before relations, so that no fan-out makes new ones.
func (x *Index) purgeTask() chunker.Task {
	walk := func(query func(u string) firestore.Query, apply func(ctx context.Context, u string, doc *firestore.DocumentSnapshot) error) chunker.PageFunc {
		return x.unlessBack(chunker.Walk(x.opts.Parallel,
			func(job chunker.Job) (firestore.Query, error) { return query(job.Args[argAuthor]), nil },
			func(ctx context.Context, job chunker.Job, doc *firestore.DocumentSnapshot) error {
				return apply(ctx, job.Args[argAuthor], doc)
			}))
	}
	return chunker.Task{Kind: kindPurge, Phases: []chunker.Phase{
		{Name: "receipt", Page: x.unlessBack(x.pageReceipt)},
		{Name: "following", Page: walk(x.followingOf, x.purgeFollow)},
		{Name: "followers", Page: x.unlessBack(x.pageFollowers)},
		{Name: "index documents", Page: x.unlessBack(x.pagePurgeIndexes)},
		{Name: "relations", Page: walk(x.relationsOf, func(ctx context.Context, _ string, doc *firestore.DocumentSnapshot) error {
			_, err := doc.Ref.Delete(ctx)
			return err
		})},
		{Name: "posts", Page: x.pagePurgePosts(walk(x.postsOf, x.purgePost))},
		{Name: "jobs", Page: x.unlessBack(x.pageJobs)},
	}}
}

// unlessBack ends the phases of a purge early when the account has been made
// again meanwhile.
func (x *Index) unlessBack(page chunker.PageFunc) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		user, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(job.Args[argAuthor])})
		if err != nil || hasProfile(user[0]) {
			return chunker.Page{}, err
		}
		return page(ctx, job, after, limit)
	}
}
