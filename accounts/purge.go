package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// The receipt of a purge has the counts that its job makes before the first deletion: the counts below, and one for
// each kind of documents that deliveries name ([followers.Forgotten]). Counts of each page's deletions would be too low
// after a crash: a repeated page finds only the remaining documents.
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
	countLikes          = "likes"          // likes by the account
	countNotifications  = "notifications"  // of the account
	countDelivered      = "delivered"      // documents that the app's own deliveries wrote for the account, or for its posts
)

// Purge enqueues a job that removes account u, whose user document was deleted, from all collections. The job deletes:
//
//   - u's follows in both directions, and index documents;
//   - the documents that deliveries wrote;
//   - requests in both directions;
//   - posts, unless KeepPosts is set;
//   - likes by u, u's notifications and the jobs that name u.
//
// The job also removes u from the recipients and refs of others' posts. Groups of u have no owner afterwards. The job's
// document is the receipt. It holds the account's id only until the job is done. generation names the deletion: a second
// call with it does nothing.
//
// u may be a group. Then the posts of others to the group stay as they are, and appear in no feed.
//
// Before the first deletion, the job writes the account's tombstone, which stays. A late event or an offline client may
// bring a follow of or by the account later. The handler of that follow's event removes it. Until an hour after the job has
// ended, no client can create the account again: see [Lifecycle.Unmark].
//
// Purge does nothing if u's user document exists and has fields that functions do not
// write: the account is back. If it comes back before the job begins, the job deletes only
// its own document.
func (x *Lifecycle) Purge(ctx context.Context, u, generation, eventID string) error {
	if err := schema.CheckAccountID(u); err != nil {
		return schema.BadDocument(x.db.Config.Collections().Users+"/"+u, "%w", err)
	}
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)})
	if err != nil {
		return fmt.Errorf("purge %s: %w", x.db.User(u).Path, err)
	}
	if schema.HasProfile(snaps[0]) {
		return nil
	}
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: schema.PurgeJobID(x.db.TombstoneID(u)), Kind: schema.KindPurge, Args: map[string]string{schema.ArgAuthor: u},
		Owner: purges, Generation: generation, Private: true, EventID: eventID,
	})
}

// purges is the owner of all purges, so that they share one owner's turns. However many accounts are deleted at once,
// each instance has room for other jobs. With the account as the owner, each purge would have its own turns, and 1,000
// purges at once would use every step. So purges need no account's hour. What one deletes counted when it came, and rules
// reject a new profile until it has ended.
const purges = "purges"

// Purged reports whether u has a tombstone. It costs a read.
func (x *Lifecycle) Purged(ctx context.Context, u string) (bool, error) {
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Tombstone(x.db.TombstoneID(u))})
	return err == nil && snaps[0].Exists(), err
}

// purgeTask returns the task that removes an account, phase by phase. The order matters:
//
//   - the account's own documents of deliveries go first;
//   - follows go before index documents, so that the events of these follows find nothing to do;
//   - index documents go before the other documents of deliveries, so that no fanout adds to these.
//
// A stored job has the number of its phase. If the phases change, also by a new delivery, raise chunker.Schema. Add a
// new collection with ids of accounts to [Lifecycle.Traces] too.
func (x *Lifecycle) purgeTask() chunker.Task {
	phase := func(name string, query func(u string) firestore.Query, remove func(context.Context, chunker.Job, []*firestore.DocumentSnapshot) (int, error)) chunker.Phase {
		return chunker.Phase{Name: name, Page: x.walk(query, remove)}
	}
	var own, others, again []chunker.Phase
	for _, f := range x.graph.Forgotten() {
		if f.Own {
			own = append(own, phase(f.Name, f.Documents, x.removal(f)))
		} else {
			others = append(others, phase(f.Name, f.Documents, x.removal(f)))
		}
		if f.Own || f.Remove != nil { // from here on, no delivery brings the account's posts to others, or others' posts to the account
			again = append(again, phase(f.Name+" again", f.Documents, x.removal(f)))
		}
	}
	return chunker.Task{Kind: schema.KindPurge, Receipt: true, Phases: slices.Concat(
		[]chunker.Phase{{Name: "receipt", Page: x.pageReceipt}},
		own,
		[]chunker.Phase{
			phase("following", x.followingOf, x.endFollows),
			phase("followers", x.followersOf, x.removeFollowers),
			{Name: "index documents", Page: x.pagePurgeIndexes},
		},
		others,
		[]chunker.Phase{
			phase("requests", x.requestsTo, x.removeClients),
			phase("requests by the account", x.requestsBy, x.removeClients),
			{Name: "posts", Page: x.pagePurgePosts},
			{Name: "mentions", Page: x.pageMentions},
			phase("groups", x.groupsOf, x.disownGroups),
			phase("likes", x.likesBy, x.removeClients),
		},
		again,
		// The profile was deleted first: no transaction makes a notification without it.
		[]chunker.Phase{phase("notifications", x.notificationsOf, x.removeOwn)},
		// These phases are late, so that a delivery with a failing query holds up no other phase. By now, no post is
		// brought to the account, and none of its posts to others.
		[]chunker.Phase{{Name: "deliveries", Page: x.pageDeliveries}, {Name: "jobs", Page: x.pageEnd}, {Name: "mark", Page: x.pageUnmark}},
	)}
}

// Account counts the documents that a purge of u would delete, by kind. profile reports whether u has a profile: then a
// purge would not delete anything. Account costs a read, and for each kind a read for each thousand documents, at least
// one.
func (x *Lifecycle) Account(ctx context.Context, u string) (counts map[string]int64, profile bool, err error) {
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)})
	if err != nil {
		return nil, false, err
	}
	counts, err = x.countOf(ctx, u)
	return counts, schema.HasProfile(snaps[0]), err
}

// Named reports whether a document that Account does not count names account u. These documents are u's user document,
// the job, mark and tombstone of u's purge, u's other jobs, posts that a purge keeps, and posts for the group u. Named
// costs four reads, one for each of these jobs, and one for each of two queries.
func (x *Lifecycle) Named(ctx context.Context, u string) (bool, error) {
	tombstone := x.db.TombstoneID(u)
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u), x.mark(u), x.db.Tombstone(tombstone), x.engine.Ref(schema.PurgeJobID(tombstone))})
	if err != nil || slices.ContainsFunc(snaps, (*firestore.DocumentSnapshot).Exists) {
		return err == nil, err
	}
	jobs, err := x.jobsOf(ctx, u)
	if err != nil || len(jobs) > 0 {
		return err == nil, err
	}
	for _, q := range []firestore.Query{x.postsOf(u), x.db.Client.Collection(x.db.Config.Collections().Posts).Where(schema.FieldAudience, "==", u).Select()} {
		posts, err := store.ListPage(ctx, q, nil, 1)
		if err != nil || len(posts) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

func (x *Lifecycle) countOf(ctx context.Context, u string) (map[string]int64, error) {
	counts := map[string]int64{countPosts: 0, countMentions: 0, countDelivered: 0}
	queries := map[string]firestore.Query{
		countFollowers:      x.followersOf(u),
		countFollowing:      x.followingOf(u),
		countIndexDocuments: x.db.IndexDocuments(u).Query,
		countRequests:       x.requestsTo(u),
		countRequested:      x.requestsBy(u),
		countGroups:         x.groupsOf(u),
		countBlocked:        x.blockedOf(u),
		countLikes:          x.likesBy(u),
		countNotifications:  x.notificationsOf(u),
	}
	if !schema.IsGroup(u) {
		queries[countMentions] = x.mentionsOf(u)
	}
	for _, f := range x.graph.Forgotten() {
		queries[f.Name] = f.Documents(u)
	}
	if !x.db.Config.KeepPosts {
		queries[countPosts] = x.postsOf(u)
	}
	for name, q := range queries {
		n, err := bulk.Count(ctx, q)
		if err != nil {
			return nil, err
		}
		counts[name] = n
	}
	for _, q := range x.deliveredTo(u) {
		n, err := bulk.Count(ctx, q)
		if err != nil { // the phase reports the error
			x.db.Config.Logger.WarnContext(ctx, "documents of a delivery could not be counted for an account", logging.Error, err)
			continue
		}
		counts[countDelivered] += n
	}
	return counts, nil
}

// pageReceipt writes the tombstone and the mark, and counts the documents to delete. Its hand-over makes the counts
// durable before the first deletion. If an earlier purge has left tombstone and mark, pageReceipt writes both again. So
// a transaction that has read them commits before the purge lists anything.
//
// If the account is back and the job has no receipt yet, nothing was deleted: the job ends and is deleted. A purge that
// failed or was canceled, and was enqueued again, already has a receipt. The receipt then keeps the larger of both
// counts.
func (x *Lifecycle) pageReceipt(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	if err := x.begin(ctx, job); errors.Is(err, errBack) && len(job.Counts) == 0 {
		return chunker.Page{Gone: true}, nil
	} else if err != nil {
		return chunker.Page{}, err
	}
	counts, err := x.countOf(ctx, job.Args[schema.ArgAuthor])
	if err != nil {
		return chunker.Page{}, err
	}
	var total int64
	for what, n := range counts {
		total += n
		counts[what] = max(0, n-job.Counts[what]) // the engine adds the difference
	}
	return chunker.Page{Total: &total, Counts: counts, HandOver: true}, nil
}
