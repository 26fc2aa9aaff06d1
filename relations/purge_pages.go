package relations

import (
	"context"
	"errors"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// A page of a purge lists what it is to remove, and only then asks, by
// [Index.accountOf], whether its step still has the lease and whether the account
// is back. Each document goes on the condition that it is as it was listed. So a
// step that comes too late, after the account has been made again, removes
// nothing of its new life.

// purgeBatch is how many followers one transaction removes: two small documents each.
const purgeBatch = 100

func (x *Index) followingOf(u string) firestore.Query {
	return x.user(u).Collection(Following).Select()
}

func (x *Index) followersOf(u string) firestore.Query {
	return x.user(u).Collection(x.opts.Collections.Followers).Select()
}

func (x *Index) relationsOf(u string) firestore.Query {
	return x.relations().Where(fieldUserID, "==", u).Select()
}

func (x *Index) postsOf(u string) firestore.Query {
	return x.client.Collection(x.opts.Collections.Posts).Where(fieldUserID, "==", u).Select()
}

func (x *Index) blockedOf(u string) firestore.Query {
	return x.user(u).Collection(Blocked).Select()
}

// listPage are at most limit documents of a query, by their names, after the document after.
func listPage(ctx context.Context, q firestore.Query, after *firestore.DocumentRef, limit int) ([]*firestore.DocumentSnapshot, error) {
	q = q.OrderBy(firestore.DocumentID, firestore.Asc).Limit(limit)
	if after != nil {
		q = q.StartAfter(after)
	}
	return q.Documents(ctx).GetAll()
}

// account is the account that a purge is for, as a page finds it.
type account struct {
	id   string
	user *firestore.DocumentSnapshot // nil unless the account is back
}

func (a account) back() bool { return a.user != nil }

// keeps reports whether a document is of the time since the account is back.
func (a account) keeps(doc *firestore.DocumentSnapshot) bool {
	return a.back() && !doc.CreateTime.Before(a.user.CreateTime)
}

// accountOf is the account of a purge. It returns [chunker.ErrLeaseLost] when the
// step has lost its lease by now. It costs two reads.
func (x *Index) accountOf(ctx context.Context, job chunker.Job) (account, error) {
	if err := x.engine.Held(ctx, job); err != nil {
		return account{}, err
	}
	a := account{id: job.Args[argAuthor]}
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(a.id)})
	if err == nil && hasProfile(snaps[0]) {
		a.user = snaps[0]
	}
	return a, err
}

// walkGraph is a page over the documents of a query that an account's purge
// removes from the graph, also when the account is back. remove counts those that
// have changed since they were listed: they are listed again.
func (x *Index) walkGraph(query func(u string) firestore.Query, remove func(context.Context, chunker.Job, []*firestore.DocumentSnapshot) (int, error)) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
		if len(job.Counts) == 0 { // no receipt: the account was back before anything went
			return chunker.Page{}, nil
		}
		err = untilSettled(ctx, func() (int, error) {
			docs, err := listPage(ctx, query(job.Args[argAuthor]), after, limit)
			if err != nil || len(docs) == 0 {
				page = chunker.Page{}
				return 0, err
			}
			page = chunker.PageOf(docs, limit)
			return remove(ctx, job, docs)
		})
		return page, err
	}
}

// endFollows ends the follows by an account that mirrors name. A crash after a
// follower document has gone leaves the mirror, which this page or the event finds.
func (x *Index) endFollows(ctx context.Context, job chunker.Job, mirrors []*firestore.DocumentSnapshot) (int, error) {
	refs := make([]*firestore.DocumentRef, len(mirrors))
	for n, mirror := range mirrors {
		refs[n] = x.follower(mirror.Ref.ID, job.Args[argAuthor])
	}
	follows, err := x.client.GetAll(ctx, refs)
	if err != nil {
		return 0, err
	}
	a, err := x.accountOf(ctx, job)
	if err != nil {
		return 0, err
	}
	numbers := make([]int, len(mirrors))
	for n := range numbers {
		numbers[n] = n
	}
	return eachFollow(ctx, x, numbers, func(ctx context.Context, n int) error {
		return x.endFollow(ctx, a, follows[n], mirrors[n])
	})
}

func (x *Index) endFollow(ctx context.Context, a account, follow, mirror *firestore.DocumentSnapshot) error {
	if follow.Exists() {
		if a.keeps(follow) {
			return nil
		}
		if _, err := follow.Ref.Delete(ctx, firestore.LastUpdateTime(follow.UpdateTime)); err != nil {
			return err // made again: it is listed again
		}
	}
	err := x.Follow(ctx, mirror.Ref.ID, a.id)
	if onlyDamaged(err) {
		// The event of the deletion above ends what is left to do; or repair.
		return x.goPast(ctx, err)
	}
	if errors.Is(err, ErrBadDocument) { // of a follow that cannot be
		_, err = mirror.Ref.Delete(ctx, firestore.LastUpdateTime(mirror.UpdateTime))
	}
	return err
}

// removeFollowers removes follower documents of an account, each together with
// its mirror: their events find nothing to do. A follow that was made since the
// account is back stays, for [Index.takeUp].
func (x *Index) removeFollowers(ctx context.Context, job chunker.Job, followers []*firestore.DocumentSnapshot) (int, error) {
	a, err := x.accountOf(ctx, job)
	if err != nil {
		return 0, err
	}
	return each(ctx, x, chunks(followers, purgeBatch), func(ctx context.Context, part []*firestore.DocumentSnapshot) error {
		return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			// The mirrors are not listed: the lease alone says that they are old.
			if err := x.engine.HeldIn(tx, job); err != nil {
				return err
			}
			for _, f := range part {
				if a.keeps(f) {
					continue
				}
				err := errors.Join(tx.Delete(f.Ref, firestore.LastUpdateTime(f.UpdateTime)), tx.Delete(x.mirror(a.id, f.Ref.ID)))
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// removeListed removes documents as they were listed.
func (x *Index) removeListed(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot) (int, error) {
	if _, err := x.accountOf(ctx, job); err != nil {
		return 0, err
	}
	return each(ctx, x, docs, deleteAsListed)
}

func deleteAsListed(ctx context.Context, doc *firestore.DocumentSnapshot) error {
	_, err := doc.Ref.Delete(ctx, firestore.LastUpdateTime(doc.UpdateTime))
	return err
}

// pagePurgeIndexes removes index documents of an account from the last to the
// first: what is left on the way is a sequence from "00001" on, as handlers expect it.
func (x *Index) pagePurgeIndexes(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	if len(job.Counts) == 0 {
		return chunker.Page{}, nil
	}
	err = untilSettled(ctx, func() (int, error) {
		docs, err := x.listQuery(job.Args[argAuthor]).Documents(ctx).GetAll()
		if err != nil {
			return 0, err
		}
		a, err := x.accountOf(ctx, job)
		if err != nil {
			return 0, err
		}
		first := max(0, len(docs)-limit)
		for n := len(docs) - 1; n >= first; n-- {
			if err := deleteAsListed(ctx, docs[n]); isStale(err) {
				return 1, nil
			} else if err != nil {
				return 0, err
			}
		}
		page = chunker.Page{Done: len(docs) - first, More: first > 0}
		if a.back() && !page.More { // its user document may name them
			_, err = x.repairDirectory(ctx, a.id)
		}
		return 0, err
	})
	return page, err
}

// pagePurgePosts deletes the posts of an account that is not back, unless posts are kept.
func (x *Index) pagePurgePosts(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	back := false
	walk := x.walkGraph(x.postsOf, func(ctx context.Context, job chunker.Job, posts []*firestore.DocumentSnapshot) (int, error) {
		a, err := x.accountOf(ctx, job)
		if back = a.back(); err != nil || back {
			return 0, err
		}
		return each(ctx, x, posts, func(ctx context.Context, post *firestore.DocumentSnapshot) error {
			return x.purgePost(ctx, job, post)
		})
	})
	if x.opts.KeepPosts {
		return chunker.Page{}, nil
	}
	page, err := walk(ctx, job, after, limit)
	if back {
		page = chunker.Page{}
	}
	return page, err
}

// purgePost deletes a post as it was listed, and the job that reconciled it,
// whose error may name the author. Where the post has changed, both stay: it may
// be another's by now. They stay too where the account is back: its posts have
// not changed, so the lease and the user document are read in the transaction.
func (x *Index) purgePost(ctx context.Context, job chunker.Job, post *firestore.DocumentSnapshot) error {
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := x.engine.HeldIn(tx, job); err != nil {
			return err
		}
		user, err := getMaybe(tx, x.user(job.Args[argAuthor]))
		if err != nil || hasProfile(user) {
			return err
		}
		if err := x.engine.DeleteIn(tx, postJobID(post.Ref.ID)); err != nil {
			return err
		}
		return tx.Delete(post.Ref, firestore.LastUpdateTime(post.UpdateTime))
	})
}
