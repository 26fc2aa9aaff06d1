package timelines

import (
	"context"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// backfillBatch is how many posts a transaction brings to one reader.
const backfillBatch = 25

// liftsAtOnce is the most posts of a reader whose comments are looked up at once.
const liftsAtOnce = 8

// bringAfter brings a reader the posts after a place in the order of createdAt, oldest first, up to limit. newest lists
// the candidates, newest first. If there are more than limit, and some is false, bringAfter brings none. While the
// brake is on, it brings none, and sets Waits if there are any.
func (x *Delivery) bringAfter(ctx context.Context, reader string, newest func() ([]readers.Reached, error), after *firestore.DocumentRef, limit int, some bool) (page chunker.Page, err error) {
	err = work.UntilSettled(ctx, func() (int, error) {
		page = chunker.Page{}
		list, err := newest()
		if err != nil {
			return 0, err
		}
		slices.Reverse(list)
		list = slices.DeleteFunc(list, func(p readers.Reached) bool { return !p.IsAfter(after) })
		if len(list) > limit {
			list, page.More = list[:limit], true
		}
		if len(list) == 0 || page.More && !some {
			return 0, nil
		}
		if x.db.Braked() {
			page = chunker.Page{Waits: true}
			return 0, nil
		}
		page.Done, page.Last = len(list), list[len(list)-1].Place(x.db)
		older := slices.DeleteFunc(slices.Clone(list), func(p readers.Reached) bool { return !p.Older })
		newer := slices.DeleteFunc(list, func(p readers.Reached) bool { return p.Older })
		for _, part := range append(store.Chunks(older, backfillBatch), store.Chunks(newer, backfillBatch)...) {
			share, err := x.graph.Pool.Memory.Take(ctx, x.broughtBytes())
			if err != nil {
				return 0, err
			}
			err = x.put(ctx, reader, part)
			share.Release() // a lift takes another
			if err == nil {
				err = x.liftBrought(ctx, reader, part)
			}
			if err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	return page, err
}

// brought is a post that comes to a reader.
type brought struct {
	recipient
	post  string
	since time.Time // of the follow that brings the post, as found; zero: any
	older bool      // the post is optional; all posts of a transaction have the same value
}

// Bring brings posts to a reader whom they reach, oldest first, in a transaction. A post reaches a reader who
// follows its audience, or whom it names and who does not block the author. If the posts exceed one
// transaction, or Firestore rejects a document, Bring writes each half in its own transaction. Existing
// entries stay where they are. Posts that the reader hides by kind do not come.
//
// If its error is stale, call Bring again. The error is also stale if the reader has unfollowed and followed
// again since a post was found: then find the posts of the new follow.
//
// Bring costs a read for each post and each deciding document, and the reads of the layout. With settings, it costs one
// more read for each post, and one for the settings.
func (x *Delivery) Bring(ctx context.Context, reader string, some []readers.Reached) error {
	if err := x.put(ctx, reader, some); err != nil {
		return err
	}
	return x.liftBrought(ctx, reader, some)
}

// broughtBytes is the most bytes that a transaction reads when it brings several posts to a reader: of posts,
// it reads the fields that entries copy.
func (x *Delivery) broughtBytes() int { return schema.MaxDocumentBytes + x.layout.Held(true) }

// put is Bring without lifts. If another follow has replaced the follow that brings a post, the error is stale.
//
// Either all posts are optional, or none: see [readers.Reached].
func (x *Delivery) put(ctx context.Context, reader string, reached []readers.Reached) error {
	units := make([]brought, len(reached))
	for n, p := range reached {
		units[n] = brought{recipient{reader, x.db.Timeline(reader).Path}, p.ID, p.Since, p.Older}
	}
	return writing[brought]{Delivery: x, most: x.broughtBytes(), write: func(ctx context.Context, tx *firestore.Transaction, units []brought) error {
		some, err := x.reaching(tx, reader, units)
		if err != nil || len(some) == 0 {
			return err
		}
		hidden, err := readers.HiddenOf(tx, x.db, reader, posts.IDs(some))
		if err != nil {
			return err
		}
		a := layout.Addition{Reader: reader, Optional: len(units) > 0 && units[0].older}
		for _, post := range some {
			e := layout.For(post, reader)
			e.Hidden = hidden[post.ID]
			a.Entries = append(a.Entries, e)
		}
		return x.layout.Add(ctx, x.db, tx, []layout.Addition{a})
	}}.all(ctx, units)
}

// liftBrought lifts posts for a reader by the comments that came before the reader's entries: see
// [Options.Lifts].
func (x *Delivery) liftBrought(ctx context.Context, reader string, reached []readers.Reached) error {
	if x.opts.Lifts == nil {
		return nil
	}
	lifting, ctx := errgroup.WithContext(ctx)
	lifting.SetLimit(liftsAtOnce)
	for _, p := range reached {
		lifting.Go(func() error {
			return chunker.Guard(func() error { return x.LiftAsCommented(ctx, p.ID, []string{reader}) })
		})
	}
	return lifting.Wait()
}

// reaching reads posts in a transaction, and the documents that decide whether the posts come to a reader. It
// returns the posts that come.
func (x *Delivery) reaching(tx *firestore.Transaction, reader string, units []brought) (some []posts.Post, err error) {
	refs := make([]*firestore.DocumentRef, len(units))
	for n, u := range units {
		refs[n] = x.db.Post(u.post)
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	decided, err := readers.In(tx, x.db, "", []string{reader})
	if err != nil {
		return nil, err
	}
	deciding := map[string]*firestore.DocumentRef{} // by path
	since := map[string]time.Time{}                 // likewise
	for n, doc := range docs {
		if !doc.Exists() {
			continue
		}
		post, err := posts.Decode(x.db.Config, doc)
		if err != nil || decided[reader].Hides(post.Author, post.Kind) {
			continue // nobody gets a bad post; the event's handler reports it
		}
		if ref := x.decides(post, reader); ref != nil {
			deciding[ref.Path] = ref
			if !units[n].since.IsZero() {
				since[ref.Path] = units[n].since
			}
			some = append(some, post)
		}
	}
	if len(some) == 0 {
		return nil, nil
	}
	comes := map[string]bool{}
	if docs, err = tx.GetAll(slices.Collect(maps.Values(deciding))); err != nil {
		return nil, err
	}
	for _, doc := range docs {
		if doc.Ref.Parent.ID == names.Blocked {
			comes[doc.Ref.Path] = !doc.Exists() || doc.Ref.ID == reader
		} else if comes[doc.Ref.Path], err = schema.Follows(doc); err != nil {
			return nil, err
		} else if then, ok := since[doc.Ref.Path]; ok && comes[doc.Ref.Path] && !readers.FollowedAt(doc).Equal(then) {
			return nil, errReplan
		}
	}
	return slices.DeleteFunc(some, func(post posts.Post) bool { return !comes[x.decides(post, reader).Path] }), nil
}

// decides returns the document that decides whether a post comes to a reader. If the post names the reader,
// this is the block of its author; otherwise it is the edge of its audience; nil if there is no audience.
func (x *Delivery) decides(post posts.Post, reader string) *firestore.DocumentRef {
	switch {
	case slices.Contains(post.Recipients, reader):
		return x.db.Block(reader, post.Author)
	case post.Audience != "":
		return x.db.Edge(post.Audience, reader)
	default:
		return nil
	}
}
