package timelines

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// pageRecipients is BringNamed for a job.
func (x *Delivery) pageRecipients(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	if _, limited := job.Args[schema.ArgNamed]; limited {
		return chunker.Page{}, nil
	}
	return chunker.Page{}, x.BringNamed(ctx, job.Args[schema.ArgPost])
}

// BringNamed brings a post to the people whom it names, except those who block its author, or do not exist. Its
// transactions read the post, and a block for each recipient. A block that begins or ends later has an event of its own.
// A document users/{id} that comes later does not bring the post: a repair does.
func (x *Delivery) BringNamed(ctx context.Context, p string) error {
	return work.UntilSettled(ctx, func() (int, error) {
		now, err := x.current(ctx, p)()
		if now == nil || len(now.Recipients) == 0 {
			return 0, err
		}
		people, err := x.existing(ctx, *now, now.ByName(ctx))
		if err != nil {
			return 0, err
		}
		stale, err := writing[recipient]{Delivery: x, write: func(ctx context.Context, tx *firestore.Transaction, part []recipient) error {
			post, err := x.postIn(tx, p)
			if err != nil || post == nil {
				return err
			}
			var refs []*firestore.DocumentRef
			for _, r := range part {
				refs = append(refs, x.db.Block(r.id, post.Author))
			}
			blocks, err := tx.GetAll(refs)
			if err != nil {
				return err
			}
			var named []recipient
			for n, r := range part {
				if slices.Contains(post.Recipients, r.id) && (!blocks[n].Exists() || r.id == post.Author) {
					named = append(named, r)
				}
			}
			return x.addFor(ctx, tx, *post, named)
		}}.each(ctx, x.recipientsOf(people), x.layout.Held(false)+readers.Held(x.db))
		if stale > 0 || err != nil {
			return stale, err
		}
		return 0, x.LiftAsCommented(ctx, p, people)
	})
}

// existing returns those of some people who have a document users/{id}, or follow the audience of a post, and the post's
// author: a post that names ids which its author has invented writes nothing below them. It costs a read for each person
// but the author; for who has no such document, a read of the follow in its place.
func (x *Delivery) existing(ctx context.Context, post posts.Post, some []string) ([]string, error) {
	others := slices.DeleteFunc(slices.Clone(some), func(r string) bool { return r == post.Author })
	there, err := store.Existing(ctx, x.db.User(post.Author).Parent, others)
	if err != nil {
		return nil, err
	}
	there[post.Author] = true
	missing := func(r string) bool { return !there[r] }
	var edges []*firestore.DocumentRef
	for _, r := range some {
		if missing(r) && post.Audience != "" {
			edges = append(edges, x.db.Edge(post.Audience, r))
		}
	}
	if len(edges) > 0 {
		docs, err := x.db.Client.GetAll(ctx, edges)
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			if follows, damaged := schema.Follows(doc); damaged == nil && follows {
				there[doc.Ref.Parent.Parent.ID] = true
			}
		}
	}
	return slices.DeleteFunc(some, missing), nil
}

// addFor adds a post to the timelines of those recipients whose decisions allow it. It marks an entry that its
// reader hides.
func (x *Delivery) addFor(ctx context.Context, tx *firestore.Transaction, post posts.Post, some []recipient) error {
	decided, err := readers.In(tx, x.db, post.ID, idsOf(some))
	if err != nil {
		return err
	}
	var adds []layout.Addition
	for _, r := range some {
		if d := decided[r.id]; d.Wants(post.Author, post.Kind) {
			e := layout.For(post, r.id)
			e.Hidden = d.HidesPost
			adds = append(adds, layout.Addition{Reader: r.id, Entries: []layout.Entry{e}, Fresh: post.Fresh()})
		}
	}
	if len(adds) == 0 {
		return nil
	}
	return x.layout.Add(ctx, x.db, tx, adds)
}
