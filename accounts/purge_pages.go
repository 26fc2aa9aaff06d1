package accounts

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// A page of a purge first lists the documents to delete. Then [Lifecycle.gone] checks that the page's step still has the
// lease, and that nobody has created the account again. Each deletion requires that the document is as it was listed. So
// no document of a new account is deleted: listed documents existed before the check, and later documents are not
// listed.

// purgeBatch is how many followers one transaction removes, with two small documents
// each.
const purgeBatch = 100

func (x *Lifecycle) followingOf(u string) firestore.Query {
	return x.db.User(u).Collection(names.Following).Select()
}

func (x *Lifecycle) followersOf(u string) firestore.Query {
	return x.db.User(u).Collection(x.db.Config.Collections().Followers).Select()
}

func (x *Lifecycle) postsOf(u string) firestore.Query {
	return x.db.Client.Collection(x.db.Config.Collections().Posts).Where(schema.FieldUserID, "==", u).Select()
}

func (x *Lifecycle) blockedOf(u string) firestore.Query {
	return x.db.User(u).Collection(names.Blocked).Select()
}

// walk returns a page function over the documents of a query. remove counts the documents that have changed since they
// were listed: the page then lists them again.
func (x *Lifecycle) walk(query func(u string) firestore.Query, remove func(context.Context, chunker.Job, []*firestore.DocumentSnapshot) (int, error)) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
		err = work.UntilSettled(ctx, func() (int, error) {
			docs, err := store.ListPage(ctx, query(job.Args[schema.ArgAuthor]), after, limit)
			if err != nil || len(docs) == 0 {
				page = chunker.Page{}
				return 0, err
			}
			page = bulk.PageOf(docs, limit)
			if err := x.gone(ctx, job); err != nil {
				return 0, err
			}
			return remove(ctx, job, docs)
		})
		return page, err
	}
}

// endFollows ends the account's follows that edges name. A crash after the deletion of a follower document leaves the
// edge; the repeated page or the event finds it.
func (x *Lifecycle) endFollows(ctx context.Context, job chunker.Job, edges []*firestore.DocumentSnapshot) (int, error) {
	refs := make([]*firestore.DocumentRef, len(edges))
	for n, edge := range edges {
		refs[n] = x.db.Follower(edge.Ref.ID, job.Args[schema.ArgAuthor])
	}
	follows, err := x.db.Client.GetAll(ctx, refs)
	if err != nil {
		return 0, err
	}
	numbers := make([]int, len(edges))
	for n := range numbers {
		numbers[n] = n
	}
	return work.EachFollow(ctx, x.graph.Pool, numbers, func(ctx context.Context, n int) error {
		return x.endFollow(ctx, job.Args[schema.ArgAuthor], follows[n], edges[n])
	})
}

func (x *Lifecycle) endFollow(ctx context.Context, u string, follow, edge *firestore.DocumentSnapshot) error {
	if follow.Exists() {
		if _, err := follow.Ref.Delete(ctx, firestore.LastUpdateTime(follow.UpdateTime)); err != nil {
			return err // created again: the page lists it again
		}
	}
	err := x.graph.Follow(ctx, edge.Ref.ID, u)
	if schema.OnlyDamaged(err) {
		// The job of an index document is about to mend it. Until then, the event of the deletion above comes again.
		// That event, or repair, does the remaining work.
		return x.graph.PastDamage(ctx, err)
	}
	if errors.Is(err, schema.ErrBadDocument) { // CheckFollow rejects the follow
		_, err = edge.Ref.Delete(ctx, firestore.LastUpdateTime(edge.UpdateTime))
	}
	return err
}

// removeFollowers deletes follower documents of an account, each together with its edge. So their events have nothing to
// do except count, if there are numbers.
func (x *Lifecycle) removeFollowers(ctx context.Context, job chunker.Job, followers []*firestore.DocumentSnapshot) (int, error) {
	return work.Each(ctx, x.graph.Pool, store.Chunks(followers, purgeBatch), func(ctx context.Context, part []*firestore.DocumentSnapshot) error {
		return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			// The edges were not listed. Only the lease shows that they belong to the deleted account.
			if err := x.engine.HeldIn(tx, job); err != nil {
				return err
			}
			for _, f := range part {
				err := errors.Join(tx.Delete(f.Ref, firestore.LastUpdateTime(f.UpdateTime)), tx.Delete(x.db.Edge(job.Args[schema.ArgAuthor], f.Ref.ID)))
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// removal returns the function that removes the account from a delivery's documents. If clients write such documents, an
// app's own documents in other collections of the same name stay.
func (x *Lifecycle) removal(f followers.Forgotten) func(context.Context, chunker.Job, []*firestore.DocumentSnapshot) (int, error) {
	return func(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot) (int, error) {
		if f.Remove != nil {
			// A late step would remove documents that a later phase has brought again.
			return f.Remove(ctx, job.Args[schema.ArgAuthor], docs, func(tx *firestore.Transaction) error { return x.engine.HeldIn(tx, job) })
		}
		return x.removeListed(ctx, slices.DeleteFunc(slices.Clone(docs), func(doc *firestore.DocumentSnapshot) bool {
			return f.Clients && x.isElsewhere(doc.Ref)
		}))
	}
}

// removeListed deletes documents that are as they were listed.
func (x *Lifecycle) removeListed(ctx context.Context, docs []*firestore.DocumentSnapshot) (int, error) {
	return work.Each(ctx, x.graph.Pool, docs, store.DeleteAsListed)
}

// pagePurgeIndexes deletes index documents of an account from the last to the first. So the remaining ones are always a
// sequence from "00001", as handlers expect.
func (x *Lifecycle) pagePurgeIndexes(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	err = work.UntilSettled(ctx, func() (int, error) {
		docs, err := x.graph.ListQuery(job.Args[schema.ArgAuthor]).Documents(ctx).GetAll()
		if err != nil {
			return 0, err
		}
		if err := x.gone(ctx, job); err != nil {
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
		return 0, nil
	})
	return page, err
}

// pagePurgePosts deletes the posts of an account, unless posts are kept.
func (x *Lifecycle) pagePurgePosts(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	if x.db.Config.KeepPosts {
		return chunker.Page{}, nil
	}
	return x.walk(x.postsOf, func(ctx context.Context, _ chunker.Job, posts []*firestore.DocumentSnapshot) (int, error) {
		return work.Each(ctx, x.graph.Pool, posts, x.purgePost)
	})(ctx, job, after, limit)
}

// purgePost deletes a post, if it is as it was listed, and the jobs that reconciled the post, whose errors may name the
// author. If the post has changed, purgePost keeps all of them, because the post may have another author now.
func (x *Lifecycle) purgePost(ctx context.Context, post *firestore.DocumentSnapshot) error {
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := x.engine.DeleteIn(tx, x.graph.Deliveries().PostJobs(post.Ref.ID)...); err != nil {
			return err
		}
		return tx.Delete(post.Ref, firestore.LastUpdateTime(post.UpdateTime))
	})
}
