package functions

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// OnBlockWritten ends the follows between an account and a person whom it blocks, and takes the person's posts that name
// the account from the account's timeline and from direct relations. The end of a block delivers these posts again. If
// the timeline was full, a block also brings back what they had pushed out. If timelines keep entries after an unfollow,
// a block takes the entries of each from the other's timeline. The account's notifications name nobody whom it blocks:
// see [tallies.Tallies.Naming] and [tallies.Tallies.Again].
//
// What comes back, and notifications, count for the account's hour, and blocks beyond 600 an hour too: see
// [Handlers.within]. A job does what exceeds
// InlineLimit. The event may arrive:
//
//   - twice, late, or while its twin runs: see [followers.Graph.Block]. The time of the block comes from the event,
//     because the document may be gone. Each transaction reads the block;
//   - never: `relationindex verify` and `verify-timelines` report what is left, and the repairs end it;
//   - while the follow is written: rules read the block in the transaction that commits
//     the follow. So the follow is rejected, or exists before the block does;
//   - while a post by name is delivered: the delivery reads the block, or has committed what the queries here find.
func (h *Handlers) OnBlockWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnBlockWritten", e, func(ctx context.Context, r *run) error {
		account, other, limit, now := r.ids[0], r.ids[1], h.index.DB.Config.InlineLimit, time.Time{}
		a := act{account, actShow, map[string]string{schema.ArgReader: account, schema.ArgAuthor: other}, ""}
		if r.change.after == nil {
			return h.within(ctx, r, a, func() error {
				page, err := h.unblocked(ctx, account, other, nil, limit)
				if err != nil || !page.More && !page.Waits {
					return err
				}
				return h.leave(ctx, r, a, now)
			})
		}
		var at time.Time
		if created := r.change.after.GetCreateTime(); created != nil {
			at = created.AsTime()
		}
		if err := h.index.Graph.Block(ctx, account, other, at); err != nil {
			return err
		}
		if h.index.Timelines != nil { // before entries go: if the event comes again after that, nothing shows what they pushed out
			pushed, err := h.index.Timelines.Pushed(ctx, account, other)
			if a.what = whatBack; err == nil && pushed {
				err = h.within(ctx, r, a, func() error { return h.leave(ctx, r, a, now) })
			}
			if err != nil {
				return err
			}
		}
		a.what = whatTakes
		takes := func() error {
			page, err := h.blocked(ctx, account, other, nil, limit)
			if err == nil && page.More {
				err = h.leave(ctx, r, a, now)
			}
			return err
		}
		var taken error
		if h.acts.spares(account, actHide) {
			taken = takes()
		} else { // who blocks, unblocks and blocks again, for ever
			taken = h.within(ctx, r, a, takes)
		}
		var named error
		if a.weight, a.what = actOne, whatNames; h.cfg.Notifications {
			named = h.within(ctx, r, a, func() error { return h.index.Tallies.Naming(ctx, account, other) })
		}
		return joined(taken, named)
	})
}

// blocked takes what came to an account from a person whom it has begun to block: a page of entries, and after the last
// one a page of relations.
func (h *Handlers) blocked(ctx context.Context, account, other string, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	if h.index.Timelines != nil && (after == nil || after.Parent.ID == names.Timeline) {
		if page, err = h.index.Timelines.Blocked(ctx, account, other, after, limit); err != nil || page.More {
			return page, err
		}
		after = nil
	}
	return h.named(ctx, account, other, true, after, limit)
}

// unblocked does a page of the work of the end of a block.
func (h *Handlers) unblocked(ctx context.Context, account, other string, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	page, err := h.named(ctx, account, other, false, after, limit)
	if after == nil {
		err = joined(err, h.index.Tallies.Again(ctx, account))
	}
	return page, err
}

// named delivers again a page of the posts in which a person names an account, newest first, because the account blocks
// the person now, or no longer does. It touches the direct relation of each post, and the account's entry; what other
// readers have stays. If the block has changed again since, it does nothing: that change has an event of its own. While
// the brake is on, it brings nothing back, and the page waits.
//
// It costs a read for each post, at least one, and one for the block if there are posts. It also costs what
// [relations.Delivery.Named] costs, and after the end of a block, what [timelines.Delivery.Named] costs.
func (h *Handlers) named(ctx context.Context, account, other string, blocks bool, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	db, brings := h.index.DB, !blocks && h.index.Timelines != nil
	if !h.cfg.Relations() && !brings {
		return page, nil
	}
	docs, err := posts.Naming(db, other, account, after).Limit(limit).Documents(ctx).GetAll()
	if err != nil || len(docs) == 0 {
		return page, err
	}
	block, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Block(account, other)})
	if err != nil || block[0].Exists() != blocks {
		return page, err
	}
	if !blocks && db.Braked() {
		return chunker.Page{Waits: true}, nil
	}
	var found []readers.Reached
	for _, doc := range docs {
		if post, err := posts.Decode(db.Config, doc); err == nil && slices.Contains(post.Recipients, account) {
			found = append(found, readers.Reached{Post: post}) // others are hidden or bad, and nobody has them
		}
	}
	page = bulk.PageOf(docs, limit)
	page.Last = posts.PlaceOf(docs[len(docs)-1])
	if h.cfg.Relations() && len(found) > 0 {
		err = h.index.Relations.Named(ctx, account, blocks, found)
	}
	if brings {
		var failed error
		page.Waits, failed = h.index.Timelines.Named(ctx, account, found)
		err = joined(err, failed)
	}
	return page, err
}
