package accounts

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// A page of a purge first lists the documents to delete. Then it checks, with
// [Lifecycle.accountOf], whether its step still has the lease, and whether the account is
// back. Each deletion requires that the document is as it was listed. So a late step,
// after the account was created again, deletes nothing of the new account.

// purgeBatch is how many followers one transaction removes, with two small documents
// each.
const purgeBatch = 100

func (x *Lifecycle) followingOf(u string) firestore.Query {
	return x.db.User(u).Collection(names.Following).Select()
}

func (x *Lifecycle) followersOf(u string) firestore.Query {
	return x.db.User(u).Collection(x.db.Options.Collections.Followers).Select()
}

func (x *Lifecycle) postsOf(u string) firestore.Query {
	return x.db.Client.Collection(x.db.Options.Collections.Posts).Where(schema.FieldUserID, "==", u).Select()
}

func (x *Lifecycle) blockedOf(u string) firestore.Query {
	return x.db.User(u).Collection(names.Blocked).Select()
}

// account is the account that a purge removes, as a page finds it.
type account struct {
	id   string
	user *firestore.DocumentSnapshot // nil unless the account is back
}

func (a account) back() bool { return a.user != nil }

// keeps reports whether a document was created since the account is back.
func (a account) keeps(doc *firestore.DocumentSnapshot) bool {
	return a.back() && !doc.CreateTime.Before(a.user.CreateTime)
}

// accountOf returns the account of a purge. It returns [chunker.ErrLeaseLost] if the step
// has lost its lease. It costs two reads.
func (x *Lifecycle) accountOf(ctx context.Context, job chunker.Job) (account, error) {
	if err := x.engine.Held(ctx, job); err != nil {
		return account{}, err
	}
	a := account{id: job.Args[schema.ArgAuthor]}
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(a.id)})
	if err == nil && schema.HasProfile(snaps[0]) {
		a.user = snaps[0]
	}
	return a, err
}

// walkGraph returns a page function over the documents of a query. A purge deletes these
// from the graph even if the account is back. remove counts the documents that have
// changed since they were listed: the page lists them again.
func (x *Lifecycle) walkGraph(query func(u string) firestore.Query, remove func(context.Context, chunker.Job, []*firestore.DocumentSnapshot) (int, error)) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
		if len(job.Counts) == 0 { // no receipt: the account was back before the first deletion
			return chunker.Page{}, nil
		}
		err = work.UntilSettled(ctx, func() (int, error) {
			docs, err := store.ListPage(ctx, query(job.Args[schema.ArgAuthor]), after, limit)
			if err != nil || len(docs) == 0 {
				page = chunker.Page{}
				return 0, err
			}
			page = bulk.PageOf(docs, limit)
			return remove(ctx, job, docs)
		})
		return page, err
	}
}

// endFollows ends the account's follows that edges name. A crash after the deletion of
// a follower document leaves the edge; this page or the event finds it.
func (x *Lifecycle) endFollows(ctx context.Context, job chunker.Job, edges []*firestore.DocumentSnapshot) (int, error) {
	refs := make([]*firestore.DocumentRef, len(edges))
	for n, edge := range edges {
		refs[n] = x.db.Follower(edge.Ref.ID, job.Args[schema.ArgAuthor])
	}
	follows, err := x.db.Client.GetAll(ctx, refs)
	if err != nil {
		return 0, err
	}
	a, err := x.accountOf(ctx, job)
	if err != nil {
		return 0, err
	}
	numbers := make([]int, len(edges))
	for n := range numbers {
		numbers[n] = n
	}
	return work.EachFollow(ctx, x.graph.Pool, numbers, func(ctx context.Context, n int) error {
		return x.endFollow(ctx, a, follows[n], edges[n])
	})
}

func (x *Lifecycle) endFollow(ctx context.Context, a account, follow, edge *firestore.DocumentSnapshot) error {
	if follow.Exists() {
		if a.keeps(follow) {
			return nil
		}
		if _, err := follow.Ref.Delete(ctx, firestore.LastUpdateTime(follow.UpdateTime)); err != nil {
			return err // created again: the page lists it again
		}
	}
	err := x.graph.Follow(ctx, edge.Ref.ID, a.id)
	if schema.OnlyDamaged(err) {
		// The event of the deletion above, or repair, does the rest.
		return x.graph.PastDamage(ctx, err)
	}
	if errors.Is(err, schema.ErrBadDocument) { // CheckFollow rejects the follow
		_, err = edge.Ref.Delete(ctx, firestore.LastUpdateTime(edge.UpdateTime))
	}
	return err
}

// removeFollowers deletes follower documents of an account, each together with its
// edge, so that their events find nothing to do. It keeps follows that are newer than
// the account's return, for [Lifecycle.takeUp].
func (x *Lifecycle) removeFollowers(ctx context.Context, job chunker.Job, followers []*firestore.DocumentSnapshot) (int, error) {
	a, err := x.accountOf(ctx, job)
	if err != nil {
		return 0, err
	}
	return work.Each(ctx, x.graph.Pool, store.Chunks(followers, purgeBatch), func(ctx context.Context, part []*firestore.DocumentSnapshot) error {
		return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			// The edges were not listed. Only the lease shows that they are old.
			if err := x.engine.HeldIn(tx, job); err != nil {
				return err
			}
			for _, f := range part {
				if a.keeps(f) {
					continue
				}
				err := errors.Join(tx.Delete(f.Ref, firestore.LastUpdateTime(f.UpdateTime)), tx.Delete(x.db.Edge(a.id, f.Ref.ID)))
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// removal returns what removes the account from documents of a delivery.
func (x *Lifecycle) removal(f followers.Forgotten) func(context.Context, chunker.Job, []*firestore.DocumentSnapshot) (int, error) {
	if f.Remove == nil {
		return func(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot) (int, error) {
			return x.removeListed(ctx, job, docs, f.Clients)
		}
	}
	return func(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot) (int, error) {
		a, err := x.accountOf(ctx, job)
		if err != nil {
			return 0, err
		}
		// A late step would remove what a later phase has brought again.
		return f.Remove(ctx, a.id, docs, func(tx *firestore.Transaction) error { return x.engine.HeldIn(tx, job) })
	}
}

// removalWhileGone is removal unless the account is back, which each transaction reads: whoever
// brings a post to the new life may find what the old one had, and rely on it.
func (x *Lifecycle) removalWhileGone(f followers.Forgotten) func(context.Context, chunker.Job, []*firestore.DocumentSnapshot) (int, error) {
	return func(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot) (int, error) {
		if f.Remove != nil {
			return f.Remove(ctx, job.Args[schema.ArgAuthor], docs, func(tx *firestore.Transaction) error { return x.gone(tx, job) })
		}
		return work.Each(ctx, x.graph.Pool, store.Chunks(docs, purgeBatch), func(ctx context.Context, part []*firestore.DocumentSnapshot) error {
			remove := func(part []*firestore.DocumentSnapshot) error { return x.deleteWhileGone(ctx, job, part) }
			return work.BisectRejected(part, remove, func(_ *firestore.DocumentSnapshot, rejected error) error { return rejected })
		})
	}
}

// removeListed deletes documents that are as they were listed. Of those that clients write, it keeps
// what [followers.Forgotten] says, and what an app has in collections of the same name elsewhere.
func (x *Lifecycle) removeListed(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot, clients bool) (int, error) {
	a, err := x.accountOf(ctx, job)
	if err != nil {
		return 0, err
	}
	docs = slices.DeleteFunc(slices.Clone(docs), func(doc *firestore.DocumentSnapshot) bool {
		return clients && (a.keeps(doc) || x.isElsewhere(doc.Ref))
	})
	return work.Each(ctx, x.graph.Pool, docs, store.DeleteAsListed)
}

// pagePurgeIndexes deletes index documents of an account from the last to the first. So
// the rest is always a sequence from "00001", as handlers expect.
func (x *Lifecycle) pagePurgeIndexes(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	if len(job.Counts) == 0 {
		return chunker.Page{}, nil
	}
	err = work.UntilSettled(ctx, func() (int, error) {
		docs, err := x.graph.ListQuery(job.Args[schema.ArgAuthor]).Documents(ctx).GetAll()
		if err != nil {
			return 0, err
		}
		a, err := x.accountOf(ctx, job)
		if err != nil {
			return 0, err
		}
		first := max(0, len(docs)-limit)
		for n := len(docs) - 1; n >= first; n-- {
			if err := store.DeleteAsListed(ctx, docs[n]); store.IsStale(err) {
				return 1, nil
			} else if err != nil {
				return 0, err
			}
		}
		page = chunker.Page{Done: len(docs) - first, More: first > 0}
		if a.back() && !page.More { // its user document may name deleted ones
			_, err = x.graph.RepairDirectory(ctx, a.id)
		}
		return 0, err
	})
	return page, err
}

// walkAccount is walkGraph for documents that stay as they are if the account is back.
func (x *Lifecycle) walkAccount(query func(u string) firestore.Query, remove func(context.Context, chunker.Job, []*firestore.DocumentSnapshot) (int, error)) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		back := false
		page, err := x.walkGraph(query, func(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot) (int, error) {
			a, err := x.accountOf(ctx, job)
			if back = a.back(); err != nil || back {
				return 0, err
			}
			return remove(ctx, job, docs)
		})(ctx, job, after, limit)
		if back {
			page = chunker.Page{}
		}
		return page, err
	}
}

// pagePurgePosts deletes the posts of an account, unless posts are kept. If the account is
// back, its posts stay, and deliveries bring them again: the phases before have deleted
// the relations to groups and recipients too.
func (x *Lifecycle) pagePurgePosts(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	if x.db.Options.KeepPosts {
		return chunker.Page{}, nil
	}
	return x.walkGraph(x.postsOf, func(ctx context.Context, job chunker.Job, posts []*firestore.DocumentSnapshot) (int, error) {
		a, err := x.accountOf(ctx, job)
		if err != nil {
			return 0, err
		}
		// Deliveries wait for shares of the memory budget: see EachFollow.
		return work.EachFollow(ctx, x.graph.Pool, posts, func(ctx context.Context, post *firestore.DocumentSnapshot) error {
			if a.back() {
				return x.bringAgain(ctx, job, post.Ref.ID)
			}
			return x.purgePost(ctx, job, post)
		})
	})(ctx, job, after, limit)
}

// bringAgain brings a post to its readers. What is wrong with the post, its event has
// reported.
//
// The post has not changed. So jobs that brought it before cover it, and would not run
// again: bringAgain deletes them first. A crash between the two leaves the page to the next
// step.
func (x *Lifecycle) bringAgain(ctx context.Context, job chunker.Job, post string) error {
	err := x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := x.engine.HeldIn(tx, job); err != nil {
			return err
		}
		return x.engine.DeleteIn(tx, x.graph.Deliveries().PostJobs(post)...)
	})
	if err != nil {
		return err
	}
	err = x.graph.Deliveries().Post(ctx, post)
	if schema.OnlyDamaged(err) {
		return x.graph.PastDamage(ctx, err)
	}
	if errors.Is(err, schema.ErrBadDocument) {
		return nil
	}
	return err
}

// pageMentions removes an account from the posts of others. Posts may go on to name a
// group that is gone: no group has its id again. If the account is back, these posts stay, and
// deliveries bring them again: what brought them to the account may be gone.
func (x *Lifecycle) pageMentions(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	if schema.IsGroup(job.Args[schema.ArgAuthor]) {
		return chunker.Page{}, nil
	}
	return x.walkGraph(x.mentionsOf, func(ctx context.Context, job chunker.Job, posts []*firestore.DocumentSnapshot) (int, error) {
		a, err := x.accountOf(ctx, job)
		if err != nil {
			return 0, err
		}
		if !a.back() {
			return x.forgetMentions(ctx, job, posts)
		}
		return work.EachFollow(ctx, x.graph.Pool, posts, func(ctx context.Context, post *firestore.DocumentSnapshot) error {
			return x.bringAgain(ctx, job, post.Ref.ID)
		})
	})(ctx, job, after, limit)
}

// purgePost deletes a post as it was listed, and the job that reconciled it, whose error
// may name the author. It keeps both if the post has changed, since its author may be
// another now. It also keeps both if the account is back, and returns ErrStale.
func (x *Lifecycle) purgePost(ctx context.Context, job chunker.Job, post *firestore.DocumentSnapshot) error {
	return x.whileGone(ctx, job, func(tx *firestore.Transaction) error {
		if err := x.engine.DeleteIn(tx, x.graph.Deliveries().PostJobs(post.Ref.ID)...); err != nil {
			return err
		}
		return tx.Delete(post.Ref, firestore.LastUpdateTime(post.UpdateTime))
	})
}
