package accounts

import (
	"context"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/schema"
)

// The receipt of a purge: the counts that its job makes before the first deletion, these
// and one for each kind of documents that deliveries name ([followers.Forgotten]). Counts
// of what each page deletes would be too low after a crash: a repeated page finds only
// the rest.
const (
	countFollowers      = "followers"      // follower documents of the account, each with its edge
	countFollowing      = "following"      // the account's edges, each with a follower document and a place in an index document
	countIndexDocuments = "indexDocuments" // index documents of the account
	countRequests       = "requests"       // requests to follow the account
	countRequested      = "requested"      // requests by the account to follow others
	countPosts          = "posts"          // posts of the account; 0 if they are kept
	countMentions       = "mentions"       // posts that name the account as a recipient or in refs
	countGroups         = "groups"         // groups whose owner is the account
	countBlocked        = "blocked"        // users that the account has blocked
)

// Purge enqueues a job that removes account u, whose user document was deleted, from all
// collections. The job deletes u's follows in both directions, index documents, what
// deliveries wrote, requests in both directions, posts (unless KeepPosts is set) and the
// jobs that name u. It removes u from the recipients and refs of others' posts. Groups of u
// have no owner afterwards. The job's document is the receipt. It holds the account's id
// only until the job is done. generation names the deletion: a second call with it does
// nothing.
//
// u may be a group. Then the posts of others stay as they are, in no feed.
//
// Before the first deletion, the job writes the account's tombstone, which stays. A
// follow of or by the account may come later, from a late event or an offline client. The
// handler of its event removes it.
//
// Purge does nothing if u's user document exists and has fields that functions do not
// write: the account is back.
func (x *Lifecycle) Purge(ctx context.Context, u, generation, eventID string) error {
	if err := schema.CheckAccountID(u); err != nil {
		return schema.BadDocument(x.db.Options.Collections.Users+"/"+u, "%w", err)
	}
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)})
	if err != nil {
		return fmt.Errorf("purge %s: %w", x.db.User(u).Path, err)
	}
	if schema.HasProfile(snaps[0]) {
		return nil
	}
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: schema.PurgeJobID(x.db.TombstoneIDs(u)[0]), Kind: schema.KindPurge, Args: map[string]string{schema.ArgAuthor: u},
		Generation: generation, Private: true, EventID: eventID,
	})
}

// Purged reports whether u has a tombstone. It costs a read for each tombstone key.
func (x *Lifecycle) Purged(ctx context.Context, u string) (bool, error) {
	var refs []*firestore.DocumentRef
	for _, id := range x.db.TombstoneIDs(u) {
		refs = append(refs, x.db.Tombstone(id))
	}
	snaps, err := x.db.Client.GetAll(ctx, refs)
	return slices.ContainsFunc(snaps, (*firestore.DocumentSnapshot).Exists), err
}

// purgeTask returns the task that removes an account, phase by phase. The order matters.
// Follows go before index documents, so that the events of these follows find nothing to
// do. Index documents go before what deliveries wrote, so that no fanout adds to it.
//
// Jobs store the number of their phase. If you add, remove or move a phase, raise Schema.
// A new collection with ids of accounts belongs in [Lifecycle.Traces] too.
//
// If the account is back before the receipt is stored, it keeps everything. After that,
// the job deletes the whole old graph: otherwise the account would keep followers who do
// not follow it. Only the rest of its profile, posts and blocks is kept, and what others'
// posts and groups say of it.
func (x *Lifecycle) purgeTask() chunker.Task {
	// A stored job has the number of its phase. If the phases change, also by another
	// delivery, raise chunker.Schema, and Schema here: then stored jobs start over.
	phases := append(x.graphPhases(),
		chunker.Phase{Name: "requests", Page: x.walkGraph(x.requestsTo, x.removeRequests)},
		chunker.Phase{Name: "requests by the account", Page: x.walkGraph(x.requestsBy, x.removeRequests)},
		chunker.Phase{Name: "posts", Page: x.pagePurgePosts},
		chunker.Phase{Name: "mentions", Page: x.pageMentions},
		chunker.Phase{Name: "groups", Page: x.walkAccount(x.groupsOf, x.disownGroups)},
	)
	for _, f := range x.graph.Forgotten() {
		if f.Own || f.Remove != nil { // nothing brings the account's posts to others now, nor others' to it
			phases = append(phases, chunker.Phase{Name: f.Name + " again", Page: x.walkAccount(f.Documents, x.removalWhileGone(f))})
		}
	}
	return chunker.Task{Kind: schema.KindPurge, Schema: 7, Receipt: true, Phases: append(phases, chunker.Phase{Name: "jobs", Page: x.pageEnd})}
}

// graphPhases returns the first phases of a purge, which take the account out of the graph.
func (x *Lifecycle) graphPhases() []chunker.Phase {
	phases := []chunker.Phase{{Name: "receipt", Page: x.pageReceipt}}
	var others []chunker.Phase
	for _, f := range x.graph.Forgotten() {
		if f.Own {
			// If the account is back, the ends of its follows take what they brought.
			phases = append(phases, chunker.Phase{Name: f.Name, Page: x.walkAccount(f.Documents, x.removalWhileGone(f))})
		} else {
			others = append(others, chunker.Phase{Name: f.Name, Page: x.walkGraph(f.Documents, x.removal(f))})
		}
	}
	return append(append(phases,
		chunker.Phase{Name: "following", Page: x.walkGraph(x.followingOf, x.endFollows)},
		chunker.Phase{Name: "followers", Page: x.walkGraph(x.followersOf, x.removeFollowers)},
		chunker.Phase{Name: "index documents", Page: x.pagePurgeIndexes},
	), others...)
}

// Account counts the documents that a purge of u would delete, by kind. profile reports
// whether u has a profile, and so would not be purged. Account costs a read, and for each
// kind a read for each thousand documents, at least one.
func (x *Lifecycle) Account(ctx context.Context, u string) (counts map[string]int64, profile bool, err error) {
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)})
	if err != nil {
		return nil, false, err
	}
	counts, err = x.countOf(ctx, u)
	return counts, schema.HasProfile(snaps[0]), err
}

func (x *Lifecycle) countOf(ctx context.Context, u string) (map[string]int64, error) {
	counts := map[string]int64{countPosts: 0, countMentions: 0}
	queries := map[string]firestore.Query{
		countFollowers:      x.followersOf(u),
		countFollowing:      x.followingOf(u),
		countIndexDocuments: x.db.IndexDocuments(u).Query,
		countRequests:       x.requestsTo(u),
		countRequested:      x.requestsBy(u),
		countGroups:         x.groupsOf(u),
		countBlocked:        x.blockedOf(u),
	}
	if !schema.IsGroup(u) {
		queries[countMentions] = x.mentionsOf(u)
	}
	for _, f := range x.graph.Forgotten() {
		queries[f.Name] = f.Documents(u)
	}
	if !x.db.Options.KeepPosts {
		queries[countPosts] = x.postsOf(u)
	}
	for name, q := range queries {
		n, err := bulk.Count(ctx, q)
		if err != nil {
			return nil, err
		}
		counts[name] = n
	}
	return counts, nil
}

// pageReceipt counts the documents to delete. Its checkpoint makes the counts durable
// before the first deletion.
//
// A purge may have a receipt already: it failed or was canceled, and was enqueued again. Some of its graph is gone, so the rest goes too, even
// if the account is back. The receipt then keeps the larger of both counts.
func (x *Lifecycle) pageReceipt(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	if a, err := x.accountOf(ctx, job); err != nil || a.back() {
		return chunker.Page{}, err
	}
	if err := x.graph.Bury(ctx, job); err != nil {
		return chunker.Page{}, err
	}
	counts, err := x.countOf(ctx, job.Args[schema.ArgAuthor])
	if err != nil {
		return chunker.Page{}, err
	}
	var total int64
	for what, n := range counts {
		total += n
		counts[what] = max(0, n-job.Counts[what]) // the engine adds it
	}
	if a, err := x.accountOf(ctx, job); err != nil || a.back() {
		return chunker.Page{}, err
	}
	return chunker.Page{Total: &total, Counts: counts}, nil
}
