package sending

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// pageOfWay is a page of a job of one delivery.
type pageOfWay func(ctx context.Context, job chunker.Job, w *way, after *firestore.DocumentRef, limit int) (chunker.Page, error)

// ofAWay returns a page of the delivery that a job names. If that delivery is off, the job ends without work, with a
// warning. If this process does not have the delivery, the job is retried: during a deployment, other functions may
// already have it.
func (x *Delivery) ofAWay(page pageOfWay) chunker.PageFunc {
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		n := slices.IndexFunc(x.ways, func(w way) bool { return w.Name == job.Args[schema.ArgDelivery] })
		off := func(d schema.Delivery) bool { return d.Name == job.Args[schema.ArgDelivery] && d.Bring == nil }
		switch {
		case n < 0 && !slices.ContainsFunc(x.db.Config.Deliveries, off):
			return chunker.Page{}, fmt.Errorf("delivery %.80q is not registered in the deployed functions: deploy functions that register the delivery, or register the delivery without Bring", job.Args[schema.ArgDelivery])
		case n < 0:
			x.db.Config.Logger.WarnContext(ctx, "job ended without work: its delivery is turned off in this function", logging.Job, job.ID)
			return chunker.Page{}, nil
		}
		return page(ctx, job, &x.ways[n], after, limit)
	}
}

// pageRecipients brings a post to the people who are named in the post and follow its author. They are at most
// schema.MaxRecipients, so one transaction is enough. It costs a read for each person that the post names, and what
// bring costs.
func (x *Delivery) pageRecipients(ctx context.Context, job chunker.Job, w *way, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	found, err := x.bring(ctx, job, w, x.acquainted)
	return chunker.Page{Done: found.looked, Gone: found.gone}, err
}

// acquainted returns the people who are named in a post and follow its author. Without this check, a stranger could
// notify any account whose id they have.
func (x *Delivery) acquainted(tx *firestore.Transaction, post posts.Post) (some []string, err error) {
	if len(post.Recipients) == 0 {
		return nil, nil
	}
	edges := make([]*firestore.DocumentRef, len(post.Recipients))
	for n, r := range post.Recipients {
		edges[n] = x.db.Edge(post.Author, r)
	}
	docs, err := tx.GetAll(edges)
	for n, edge := range docs {
		if schema.TextOf(edge, schema.FieldIndexID) != "" {
			some = append(some, post.Recipients[n])
		}
	}
	return some, err
}

// pageFollowers brings a post to followers of the post's audience, in the order of index documents and of ids in each.
// The page before has handled the people that the post names, except people added by a later edit.
//
// It costs three reads, and for each transaction one read of the index document and what bring costs.
//
// Each transaction reads the index document, whole. So it sees a follower who leaves before the commit. If the follower
// left because their account was deleted, the purge finds the delivery's documents. Follows wait for the lock, as long
// as the transaction.
func (x *Delivery) pageFollowers(ctx context.Context, job chunker.Job, w *way, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	post, _, err := posts.Current(ctx, x.db, job.Args[schema.ArgPost])
	if err != nil && !errors.Is(err, schema.ErrBadDocument) {
		return page, err
	}
	if post == nil || post.Audience == "" {
		found, err := x.bring(ctx, job, w, nobody)
		return chunker.Page{Gone: found.gone}, err
	}
	ids, err := x.graph.IndexIDs(ctx, post.Audience)
	if err != nil {
		return page, err
	}
	limit *= pageFactor
	index, reader := followers.PlaceOf(x.db, post.Audience, after)
	for _, i := range ids {
		if i < index {
			continue
		}
		if i > index {
			reader = ""
		}
		for more := true; more; {
			if page.More = page.Done >= limit; page.More {
				return page, nil
			}
			part := part{audience: post.Audience, index: i, after: reader, limit: min(limit-page.Done, maxLooked)}
			found, last, err := x.bringPart(ctx, job, w, &part)
			if schema.OnlyDamaged(err) { // followers in a document whose job has failed do not get this post
				err = x.graph.PastMending(ctx, "", err)
			}
			if err != nil || found.gone || found.hidden {
				return chunker.Page{Gone: found.gone}, err
			}
			if part.moved { // to another audience, whose followers are walked from the first
				return chunker.Page{Done: page.Done, More: true}, nil
			}
			if page.Done += found.looked; last != "" {
				reader = last
				page.Last = followers.CursorOf(x.db, post.Audience, i, last)
			}
			more = part.more
		}
	}
	return page, nil
}

// nobody returns no reader.
func nobody(*firestore.Transaction, posts.Post) ([]string, error) { return nil, nil }

// part is a part of an audience's followers in one index document: up to limit followers after a reader.
type part struct {
	audience, index, after string
	limit                  int
	// Found by bringPart:
	moved bool // the post has another audience
	more  bool // the index document has further followers
}

// bringPart brings the post to a part. last is the last reader that it has decided about; "" if there is none.
func (x *Delivery) bringPart(ctx context.Context, job chunker.Job, w *way, p *part) (found found, last string, err error) {
	share, err := x.graph.Pool.Memory.Take(ctx, x.db.Config.FullBytes())
	if err != nil {
		return found, "", err
	}
	defer share.Release()
	var chosen []string
	found, err = x.bring(ctx, job, w, func(tx *firestore.Transaction, post posts.Post) ([]string, error) {
		chosen, p.more, p.moved = nil, false, post.Audience != p.audience
		if p.moved {
			return nil, nil
		}
		snap, err := store.GetMaybe(tx, x.db.IndexDocuments(p.audience).Doc(p.index))
		if err != nil || !snap.Exists() {
			return nil, err
		}
		doc, err := schema.DecodeIndexDocument(snap)
		if err != nil {
			return nil, err
		}
		// A longer id cannot be queried.
		chosen = slices.DeleteFunc(doc.Followers, func(r string) bool { return r <= p.after || schema.CheckAccountID(r) != nil })
		slices.Sort(chosen)
		p.more = len(chosen) > p.limit
		chosen = chosen[:min(len(chosen), p.limit)]
		return chosen, nil
	})
	if err == nil && found.looked > 0 {
		last = chosen[found.looked-1]
		p.more = p.more || found.looked < len(chosen)
	}
	return found, last, err
}
