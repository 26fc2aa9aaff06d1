package relations

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// CopyDirect writes the direct relation of post p, for its current recipients. Recipients who block the author are left
// out. If a recipient ends or begins a block later, the relation stays as it is.
//
// The transaction reads the post: of two edits at once, the one that commits last has read
// the newer post. CopyDirect returns ErrStale if p is gone, or has no recipients. It costs
// a write, a read of the post and one for each recipient.
//
// A crash before the commit leaves the old state. The event is redelivered, or the job's
// page runs again. You may repeat the call.
func (x *Delivery) CopyDirect(ctx context.Context, p string) error {
	author, err := x.copyDirect(ctx, p, false)
	if store.IsRejected(err) {
		x.logBare(ctx, x.db.Relation(p, schema.DirectIndex), err)
		author, err = x.copyDirect(ctx, p, true)
	}
	return work.Rejected(x.db.Relation(p, schema.DirectIndex), author, err)
}

func (x *Delivery) copyDirect(ctx context.Context, p string, bare bool) (author string, err error) {
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		horizon, err := x.db.Horizons.Read(ctx)
		if err != nil {
			return err
		}
		snap, err := store.GetMaybe(tx, x.db.Post(p))
		if err != nil {
			return err
		}
		if !snap.Exists() {
			return store.ErrStale
		}
		post, err := posts.Decode(x.db.Config, snap)
		if err != nil || len(post.Recipients) == 0 {
			return store.ErrStale
		}
		others := slices.DeleteFunc(slices.Clone(post.Recipients), func(r string) bool { return r == post.Author })
		blocked, err := x.blocking(tx, post.Author, others)
		if err != nil {
			return err
		}
		author = post.Author
		version := schema.RecipientsVersion(post.Recipients)
		readers := slices.DeleteFunc(post.Recipients, func(r string) bool { return blocked[r] })
		if post.Audience = ""; bare {
			post = post.Bare()
		}
		return tx.Set(x.db.Relation(p, schema.DirectIndex), plan.Data(post, schema.IndexDocument{
			ID: schema.DirectIndex, Version: version, Followers: readers, SizeBytes: schema.IDsBytes(readers),
		}, horizon))
	})
	return author, err
}

// blocking returns those of people that block the author.
func (x *Delivery) blocking(tx *firestore.Transaction, author string, people []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(people) == 0 {
		return found, nil
	}
	refs := make([]*firestore.DocumentRef, len(people))
	for n, r := range people {
		refs[n] = x.db.Block(r, author)
	}
	blocks, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	for n, block := range blocks {
		found[people[n]] = block.Exists()
	}
	return found, nil
}
