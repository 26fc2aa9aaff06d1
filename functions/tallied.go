package functions

import (
	"context"
	"slices"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"

	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/tallies"
)

// OnLikeWritten counts the likes of a post, and tells its author. It is deployed only with numbers or notifications. Likes
// count for the hour of who likes: see [Handlers.within].
// Its event may arrive:
//
//   - twice or late: it counts what is there now: see [tallies.Tallies.Tally];
//   - never: the next like of the post, or a repair, counts it;
//   - while its twin runs, here: both share a count that begins after them, or elsewhere: one finds that the other has
//     written, and counts again;
//   - after the post has gone: there is nothing to count. The post's deletion deletes its likes. Rules let nobody like a post that
//     is not there. What a server writes there stays until its account is purged: it may be about to write the post.
func (h *Handlers) OnLikeWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnLikeWritten", e, func(ctx context.Context, r *run) error {
		post, who := r.ids[0], r.ids[1]
		a := act{who, actOne, map[string]string{schema.ArgPost: post, schema.ArgReader: who}, ""}
		return h.ofDocument(ctx, r, a, func() error { return h.index.Tallies.Liked(ctx, post) })
	})
}

// OnRequestWritten tells an account who asks to follow it. It is deployed only with notifications. Requests count for
// the hour of who asks: see [Handlers.within].
// Its event may arrive twice, late, never, or while its twin runs, as that of a like: see [Handlers.OnLikeWritten].
func (h *Handlers) OnRequestWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnRequestWritten", e, func(ctx context.Context, r *run) error {
		account, who := r.ids[0], r.ids[1]
		a := act{who, actOne, map[string]string{schema.ArgAuthor: account, schema.ArgReader: who}, ""}
		return h.ofDocument(ctx, r, a, func() error { return h.requested(ctx, account) })
	})
}

func (h *Handlers) requested(ctx context.Context, account string) error {
	return h.index.Tallies.Tally(ctx, tallies.Notification(account, tallies.Request, ""))
}

// OnCommentWritten counts the comments on a post, and tells its author. A new comment lifts the post, if timelines are ranked. It
// is deployed only if they are, or with numbers or notifications. Comments count for the commenter's hour.
// Its event may arrive:
//
//   - twice, late or out of order: at never falls, and what is counted is true now. See [ranking.Ranking.Comment] and
//     [tallies.Tallies.Tally];
//   - never: the post stays where it is, and the next comment or a repair counts it;
//   - before the post's own: then who brings the post's entries lifts them;
//   - while its twin runs: see [Handlers.OnLikeWritten].
func (h *Handlers) OnCommentWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnCommentWritten", e, func(ctx context.Context, r *run) error {
		post, comment := r.ids[0], r.ids[1]
		written := r.change.after
		if written == nil {
			written = r.change.before
		}
		a := act{textIn(written, schema.FieldUserID), actOne, map[string]string{schema.ArgPost: post, schema.ArgComment: comment}, ""}
		if r.change.before != nil {
			if a.what = whatEdits; r.change.unchanged([]string{schema.FieldUserID, schema.FieldThread, schema.FieldCreatedAt}) {
				return nil
			}
			return h.taking(ctx, r, a, func() error { return h.index.Tallies.Commented(ctx, post) })
		}
		if h.index.Ranking != nil && textIn(written, schema.FieldAudience) != "" { // it lifts the post for readers who do not follow the commenter
			a.weight = actGroup
		}
		return h.within(ctx, r, a, func() error { return h.commented(ctx, post, comment) })
	})
}

// commented is what a new comment asks for.
func (h *Handlers) commented(ctx context.Context, post, comment string) error {
	var lifted error // it holds not up the count
	if h.index.Ranking != nil {
		lifted = h.index.Ranking.Comment(ctx, post, comment)
	}
	return joined(lifted, h.index.Tallies.Commented(ctx, post))
}

// joined joins the errors of several pieces of work: see [work.Failures].
func joined(errs ...error) error {
	var failed work.Failures
	for _, err := range errs {
		failed.Add(err)
	}
	return failed.Joined()
}

// follow has the index agree with a follow, and counts it once it is settled. day is that of which the event tells; "": none.
func (h *Handlers) follow(ctx context.Context, author, follower, day string) error {
	if err := h.index.Graph.Follow(ctx, author, follower); err != nil {
		return err
	}
	return joined(
		h.index.Tallies.Tally(ctx, tallies.Followers(author), tallies.Following(follower)),
		h.index.Tallies.Followed(ctx, author, follower, day))
}

// dayOf is the day of a follow; "": none is known.
func dayOf(follow *firestoredata.Document) string {
	at, known := timeOf(follow.GetFields()[schema.FieldCreatedAt])
	if !known {
		return ""
	}
	return tallies.DayOf(at)
}

// returned counts what an account has whose profile is there again before its purge: the document is a new one, without
// numbers, and events that came meanwhile told it nothing.
func (h *Handlers) returned(ctx context.Context, u string) error {
	if !h.cfg.Tallies() || schema.CheckAccountID(u) != nil {
		return nil
	}
	there, err := h.hasProfile(ctx, u)
	if err != nil || !there {
		return err
	}
	return joined(
		h.index.Tallies.Tally(ctx, tallies.Followers(u), tallies.Following(u), tallies.Posts(u)),
		h.index.Tallies.Again(ctx, u))
}

// tallyPost counts what an event of a post changes at once, for a cost that does not depend on the post: the posts of its
// audience, its comments, what its author is told; and what takes a mention from somebody, for a read each who has none. What
// brings one waits with the post: see [Handlers.bring]. An edit of nothing that counts, as the functions' own of counts, costs
// nothing.
func (h *Handlers) tallyPost(ctx context.Context, r *run) error {
	c, p := r.change, r.ids[0]
	var all []tallies.Subject
	if before, after := countedFor(c.before), countedFor(c.after); before != after {
		all = append(all, tallies.Posts(before), tallies.Posts(after))
	}
	dropped := c.dropsCounts()
	if dropped {
		all = append(all, tallies.Likes(p))
	}
	author := textIn(c.before, schema.FieldUserID) != textIn(c.after, schema.FieldUserID)
	other := author || audienceIn(c.before).GetStringValue() != audienceIn(c.after).GetStringValue() || h.cfg.ReaderSettings && !c.unchanged([]string{names.FieldKind})
	if dropped || c.before != nil && other {
		all = append(all, tallies.Comments(p))
		for _, post := range []*firestoredata.Document{c.before, c.after} {
			u := textIn(post, schema.FieldUserID)
			all = append(all, tallies.Notification(u, tallies.Like, p), tallies.Notification(u, tallies.Comment, p))
		}
	}
	var taken []tallies.Subject
	named := namedIn(c.after)
	for _, u := range namedIn(c.before) {
		if author || shown(c.before) && !shown(c.after) || !slices.Contains(named, u) {
			taken = append(taken, tallies.Notification(u, tallies.Mention, p))
		}
	}
	return joined(h.index.Tallies.Tally(ctx, all...), h.index.Tallies.Taken(ctx, taken...))
}

// asOf returns a context for what the event of a post asks for.
func (r *run) asOf(ctx context.Context) context.Context {
	return posts.OfEvent(ctx, r.change.after.GetUpdateTime().AsTime())
}

// bring brings a post to its readers, and then tells those whom it names.
func (h *Handlers) bring(ctx context.Context, post string) error {
	if err := h.index.Deliveries.Post(ctx, post); err != nil {
		return err // the event comes again: it would tell all of them each time
	}
	return h.index.Tallies.Mention(ctx, post)
}

// shown reports whether a post is there, and not hidden.
func shown(post *firestoredata.Document) bool {
	return post != nil && !post.GetFields()[schema.FieldHidden].GetBooleanValue()
}

// countedFor is the audience whose number of posts has a post, as the query of tallies finds it; "": none.
func countedFor(post *firestoredata.Document) string {
	hidden, is := post.GetFields()[schema.FieldHidden].GetValueType().(*firestoredata.Value_BooleanValue)
	if !is || hidden.BooleanValue {
		return ""
	}
	return textIn(post, schema.FieldAudience)
}

// dropsCounts reports whether a write has taken the numbers of a document that is still there: a server's, without merge.
func (c change) dropsCounts() bool {
	had, has := c.before.GetFields()[names.FieldCounts], c.after.GetFields()[names.FieldCounts]
	return had != nil && has == nil && c.after != nil
}

// namedIn returns the texts in a post's field to, as far as they count.
func namedIn(post *firestoredata.Document) (named []string) {
	to := post.GetFields()[schema.FieldTo].GetArrayValue().GetValues()
	for _, v := range to[:min(len(to), schema.MaxRecipients)] {
		named = append(named, v.GetStringValue())
	}
	return named
}

func textIn(document *firestoredata.Document, field string) string {
	return document.GetFields()[field].GetStringValue()
}

// hidesOther reports whether a reader hides other authors or kinds than before.
func (c change) hidesOther() bool {
	return !c.unchanged([]string{readers.FieldHide, readers.FieldShow})
}
