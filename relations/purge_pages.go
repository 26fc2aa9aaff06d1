package relations

import (
	"context"
	"errors"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// purgeBatch is how many followers one transaction removes: two small documents each.
const purgeBatch = 100

func (x *Index) followingOf(u string) firestore.Query {
	return x.user(u).Collection(Following).Select()
}

func (x *Index) followersOf(u string) firestore.Query {
	return x.user(u).Collection(x.opts.Collections.Followers).OrderBy(firestore.DocumentID, firestore.Asc).Select()
}

func (x *Index) relationsOf(u string) firestore.Query {
	return x.relations().Where(fieldUserID, "==", u).Select()
}

func (x *Index) postsOf(u string) firestore.Query {
	return x.client.Collection(x.opts.Collections.Posts).Where(fieldUserID, "==", u).Select()
}

func (x *Index) blockedOf(u string) firestore.Query {
	return x.user(u).Collection(Blocked).OrderBy(firestore.DocumentID, firestore.Asc).Select()
}

// pageReceipt counts what there is to remove. Its checkpoint makes the counts
// durable before anything is.
func (x *Index) pageReceipt(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	u := job.Args[argAuthor]
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
	var total int64
	for name, q := range queries {
		n, err := chunker.Count(ctx, q)
		if err != nil {
			return chunker.Page{}, err
		}
		counts[name] = n
		total += n
	}
	return chunker.Page{Total: &total, Counts: counts}, nil
}

// purgeFollow ends u's follow of the author that a mirror names. A crash after
// the first write leaves the mirror, which this page or the event finds.
func (x *Index) purgeFollow(ctx context.Context, u string, mirror *firestore.DocumentSnapshot) error {
	a := mirror.Ref.ID
	if _, err := x.follower(a, u).Delete(ctx); err != nil {
		return err
	}
	err := x.Follow(ctx, a, u)
	if errors.Is(err, ErrBadDocument) { // not a mirror, or of a follow that cannot be
		_, err = mirror.Ref.Delete(ctx)
	}
	return err
}

// pageFollowers removes follower documents of u, each together with its
// mirror: their events find nothing to do.
func (x *Index) pageFollowers(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	u := job.Args[argAuthor]
	q := x.followersOf(u).Limit(limit)
	if after != nil {
		q = q.StartAfter(after)
	}
	docs, err := q.Documents(ctx).GetAll()
	if err != nil {
		return chunker.Page{}, err
	}
	_, err = each(ctx, x, chunks(ids(docs), purgeBatch), func(ctx context.Context, followers []string) error {
		return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			for _, f := range followers {
				if err := errors.Join(tx.Delete(x.follower(u, f)), tx.Delete(x.mirror(u, f))); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return chunker.PageOf(docs, limit), err
}

// pagePurgeIndexes removes index documents of u from the last to the first: what is
// left on the way is a sequence from "00001" on, as handlers expect it.
func (x *Index) pagePurgeIndexes(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (chunker.Page, error) {
	docs, err := x.listQuery(job.Args[argAuthor]).Documents(ctx).GetAll()
	if err != nil {
		return chunker.Page{}, err
	}
	first := max(0, len(docs)-limit)
	for n := len(docs) - 1; n >= first; n-- {
		if _, err := docs[n].Ref.Delete(ctx); err != nil {
			return chunker.Page{}, err
		}
	}
	return chunker.Page{Done: len(docs) - first, More: first > 0}, nil
}

func (x *Index) pagePurgePosts(page chunker.PageFunc) chunker.PageFunc {
	if !x.opts.KeepPosts {
		return page
	}
	return func(context.Context, chunker.Job, *firestore.DocumentRef, int) (chunker.Page, error) {
		return chunker.Page{}, nil
	}
}

// purgePost deletes a post, and the job that reconciled it, whose error may
// name the author.
func (x *Index) purgePost(ctx context.Context, _ string, post *firestore.DocumentSnapshot) error {
	if err := x.engine.Delete(ctx, postJobID(post.Ref.ID)); err != nil {
		return err
	}
	_, err := post.Ref.Delete(ctx)
	return err
}

// pageJobs deletes the other jobs that name u, whom u has blocked, and the user
// document if we have written it again meanwhile.
func (x *Index) pageJobs(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (chunker.Page, error) {
	u := job.Args[argAuthor]
	if err := x.engine.Delete(ctx, profileJobID(u)); err != nil {
		return chunker.Page{}, err
	}
	if err := x.deleteIndexJobs(ctx, u); err != nil {
		return chunker.Page{}, err
	}
	blocked, err := x.blockedOf(u).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return chunker.Page{}, err
	}
	_, err = each(ctx, x, blocked, func(ctx context.Context, doc *firestore.DocumentSnapshot) error {
		_, err := doc.Ref.Delete(ctx)
		return err
	})
	if err != nil || len(blocked) == limit {
		return chunker.Page{Done: len(blocked), More: true}, err
	}
	return chunker.Page{Done: len(blocked)}, x.deleteGhost(ctx, u)
}

// deleteIndexJobs deletes the jobs of u's index documents. Those of the account
// u:7 have ids that begin like them.
func (x *Index) deleteIndexJobs(ctx context.Context, u string) error {
	prefix := indexJobID(u, "")
	for doc, err := range documents(ctx, x.engine.DocumentsNamed(prefix).Select()) {
		if err != nil {
			return err
		}
		if strings.Contains(doc.Ref.ID[len(prefix):], ":") {
			continue
		}
		if err := x.engine.Delete(ctx, doc.Ref.ID); err != nil {
			return err
		}
	}
	return nil
}

// deleteGhost deletes a user document that holds nothing but our fields.
func (x *Index) deleteGhost(ctx context.Context, u string) error {
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		user, err := getMaybe(tx, x.user(u))
		if err != nil || !user.Exists() || hasProfile(user) {
			return err
		}
		return tx.Delete(x.user(u))
	})
}
