package relations

import (
	"context"
	"path"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// CopyDirect writes the direct relation of post p, for its current recipients. Recipients who block the author are left
// out. If a recipient ends or begins a block later, [Delivery.Named] writes the relation again.
//
// The transaction reads the post: of two edits at once, the one that commits last has read
// the newer post. CopyDirect returns ErrStale if p is gone, or has no recipients. It costs
// a write, a read of the post and one for each recipient.
//
// A crash before the commit leaves the old state. The event is redelivered, or the job's
// page runs again. You may repeat the call.
func (x *Delivery) CopyDirect(ctx context.Context, p string) error { return x.direct(ctx, p, nil) }

// Take removes the people whom post p names no longer from its direct relation, whoever they are. It adds nobody: the
// recipients who stay were in it before. If recipients are missing then, the relation's version differs from theirs:
// [Delivery.CopyDirect] still has to bring the post to them. Without anybody left, or without the post, the relation is
// deleted. But if all recipients block the author, it stays, for nobody: the end of a block adds only to a relation. If it
// is right already, Take costs two reads. Otherwise it costs what CopyDirect costs, and a read.
func (x *Delivery) Take(ctx context.Context, p string, _ []string) error {
	return x.direct(ctx, p, []string{})
}

// direct is CopyDirect; with only, it is Take, but adds these people.
func (x *Delivery) direct(ctx context.Context, p string, only []string) error {
	author, err := x.copyDirect(ctx, p, only, false)
	if store.IsRejected(err) {
		x.logBare(ctx, x.db.Relation(p, schema.DirectIndex), err)
		author, err = x.copyDirect(ctx, p, only, true)
	}
	return work.Rejected(x.db.Relation(p, schema.DirectIndex), author, err)
}

func (x *Delivery) copyDirect(ctx context.Context, p string, only []string, bare bool) (author string, err error) {
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		horizon, err := x.db.Horizons.Read(ctx)
		if err != nil {
			return err
		}
		refs := []*firestore.DocumentRef{x.db.Post(p)}
		if only != nil {
			refs = append(refs, x.db.Relation(p, schema.DirectIndex))
		}
		docs, err := tx.GetAll(refs)
		if err != nil {
			return err
		}
		var post posts.Post // of nobody
		if docs[0].Exists() {
			if now, err := posts.Decode(x.db.Config, docs[0]); err == nil {
				post = now
			}
		}
		switch {
		case only != nil && (!docs[1].Exists() || len(only) == 0 && plan.Decode(x.db.Config, docs[1:])[0].IsOf(post)):
			return nil
		case only != nil && len(post.Recipients) == 0:
			return tx.Delete(docs[1].Ref)
		case len(post.Recipients) == 0:
			return store.ErrStale
		}
		others := slices.DeleteFunc(slices.Clone(post.Recipients), func(r string) bool { return r == post.Author })
		blocked, err := x.blocking(tx, post.Author, others)
		if err != nil {
			return err
		}
		author = post.Author
		version := schema.RecipientsVersion(post.Recipients)
		held := slices.DeleteFunc(post.Recipients, func(r string) bool { return blocked[r] })
		if only != nil {
			in, _ := schema.FieldsOf(docs[1], schema.FieldFollowers)[schema.FieldFollowers].([]any)
			left := slices.DeleteFunc(slices.Clone(held), func(r string) bool { return !slices.Contains(in, any(r)) && !slices.Contains(only, r) })
			if len(left) == 0 && len(held) > 0 && len(only) == 0 {
				return tx.Delete(docs[1].Ref)
			}
			if len(left) < len(held) {
				held, version = left, schema.RecipientsVersion(left)
			}
		}
		if post.Audience = ""; bare {
			post = post.Bare()
		}
		return tx.Set(x.db.Relation(p, schema.DirectIndex), plan.Data(post, schema.IndexDocument{
			ID: schema.DirectIndex, Version: version, Followers: held, SizeBytes: schema.IDsBytes(held),
		}, horizon))
	})
	return author, err
}

// Named writes the direct relations of posts that name a reader again, when the reader has begun to block their author,
// or has ended the block: see [Delivery.CopyDirect]. It adds nobody else: others may wait for the author's hour. It leaves
// a relation that is already right, and does not create any: a post without its relation has an event or a job that
// creates it, and reads the block.
//
// Named costs a read for each post, and the cost of CopyDirect and a read for each relation that changes. You may call it
// again, late, or while a call for the opposite runs: each transaction reads the block.
func (x *Delivery) Named(ctx context.Context, reader string, blocks bool, some []readers.Reached) error {
	refs := make([]*firestore.DocumentRef, len(some))
	for n, p := range some {
		refs[n] = x.db.Relation(p.ID, schema.DirectIndex)
	}
	all := x.db.Relations().Path
	snaps, err := x.db.Client.GetAll(wire.WithMask(ctx, func(document string) bool { return path.Dir(document) == all }, schema.FieldFollowers), refs)
	if err != nil {
		return err
	}
	var wrong []string
	for n, snap := range snaps {
		held, _ := schema.FieldsOf(snap, schema.FieldFollowers)[schema.FieldFollowers].([]any)
		if snap.Exists() && slices.Contains(held, any(reader)) == blocks {
			wrong = append(wrong, some[n].ID)
		}
	}
	_, err = work.Each(ctx, x.graph.Pool, wrong, func(ctx context.Context, p string) error {
		return x.direct(ctx, p, []string{reader})
	})
	return x.graph.PastDamage(ctx, err)
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
