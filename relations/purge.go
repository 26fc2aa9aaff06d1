package relations

import (
	"context"
	"fmt"
	"slices"

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
// Before anything goes, the job writes the account's tombstone, which stays. A
// follow of the account or by it whose event comes late, or that a client which
// was offline sends, is removed by the handler of its event.
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
		ID: purgeJobID(x.tombstonesOf(u)[0]), Kind: kindPurge, Args: map[string]string{argAuthor: u},
		Generation: generation, Private: true, EventID: eventID,
	})
}

// Purged reports whether u has a tombstone. It costs a read for each key of tombstones.
func (x *Index) Purged(ctx context.Context, u string) (bool, error) {
	var refs []*firestore.DocumentRef
	for _, id := range x.tombstonesOf(u) {
		refs = append(refs, x.tombstone(id))
	}
	snaps, err := x.client.GetAll(ctx, refs)
	return slices.ContainsFunc(snaps, (*firestore.DocumentSnapshot).Exists), err
}

// hasProfile reports whether a user document holds anything that we did not
// write, such as what cannot be decoded.
func hasProfile(user *firestore.DocumentSnapshot) bool {
	if !user.Exists() {
		return false
	}
	fields, err := allFields(user)
	for name := range fields {
		if !IndexField(name) {
			return true
		}
	}
	return err != nil
}

// IndexField reports whether a field of a user document is one of those that
// the functions write.
func IndexField(name string) bool { return name == fieldFollowersIndex || name == fieldLatestIndex }

// graphPhases are those phases of a purge that take the account out of the graph.
// While they are under way nobody is put into its index documents.
const graphPhases = 5

// purgeTask removes an account, phase by phase. The order matters: follows
// before index documents, so that no event of theirs finds something to do;
// index documents before relations, so that no fan-out makes new ones.
//
// An account that is back before the receipt is stored keeps everything. From
// then on what there was of its graph goes to the end, or it would keep followers
// who do not follow it; only what is left of its profile, posts and blocks is spared.
func (x *Index) purgeTask() chunker.Task {
	return chunker.Task{Kind: kindPurge, Schema: 2, Receipt: true, Phases: []chunker.Phase{
		{Name: "receipt", Page: x.pageReceipt},
		{Name: "following", Page: x.walkGraph(x.followingOf, x.endFollows)},
		{Name: "followers", Page: x.walkGraph(x.followersOf, x.removeFollowers)},
		{Name: "index documents", Page: x.pagePurgeIndexes},
		{Name: "relations", Page: x.walkGraph(x.relationsOf, x.removeListed)},
		{Name: "posts", Page: x.pagePurgePosts},
		{Name: "jobs", Page: x.pageEnd},
	}}
}

// Account counts what a purge of u would remove, by what it is, and says whether
// u has a profile and so would not be purged. It costs a read, and one for each
// thousand documents.
func (x *Index) Account(ctx context.Context, u string) (counts map[string]int64, profile bool, err error) {
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(u)})
	if err != nil {
		return nil, false, err
	}
	counts, err = x.countOf(ctx, u)
	return counts, hasProfile(snaps[0]), err
}

func (x *Index) countOf(ctx context.Context, u string) (map[string]int64, error) {
	counts := map[string]int64{countPosts: 0}
	queries := map[string]firestore.Query{
		countFollowers:      x.followersOf(u),
		countFollowing:      x.followingOf(u),
		countIndexDocuments: x.indexDocuments(u).Query,
		countRelations:      x.relationsOf(u),
		countBlocked:        x.blockedOf(u),
	}
	if !x.opts.KeepPosts {
		queries[countPosts] = x.postsOf(u)
	}
	for name, q := range queries {
		n, err := chunker.Count(ctx, q)
		if err != nil {
			return nil, err
		}
		counts[name] = n
	}
	return counts, nil
}

// pageReceipt counts what there is to remove. Its checkpoint makes the counts durable
// before anything is.
//
// A purge that failed or was canceled, and is enqueued anew, has a receipt, as has one
// that an earlier release began: some of the graph has gone, and the rest goes also
// when the account is back. It shows the larger of both counts.
func (x *Index) pageReceipt(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	if a, err := x.accountOf(ctx, job); err != nil || a.back() {
		return chunker.Page{}, err
	}
	if err := x.bury(ctx, job); err != nil {
		return chunker.Page{}, err
	}
	counts, err := x.countOf(ctx, job.Args[argAuthor])
	if err != nil {
		return chunker.Page{}, err
	}
	var total int64
	for what, n := range counts {
		total += n
		counts[what] = max(0, n-job.Counts[what]) // is added
	}
	if a, err := x.accountOf(ctx, job); err != nil || a.back() {
		return chunker.Page{}, err
	}
	return chunker.Page{Total: &total, Counts: counts}, nil
}
