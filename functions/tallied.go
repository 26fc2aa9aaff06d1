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

// OnLikeWritten counts the likes of a post, and notifies its author. It is deployed only with numbers or notifications.
// Likes count for the liker's hour: see [Handlers.within]. Its event may arrive:
//
//   - twice or late: it counts the current documents: see [tallies.Tallies.Tally];
//   - never: the next like of the post, or a repair, counts this like;
//   - while its twin runs on this instance: both share a count that begins after them;
//   - while its twin runs on another instance: one of them finds that the other has written, and counts again;
//   - after the post was deleted: there is nothing to count. The post's deletion deletes its likes. Rules reject a like
//     of a post that does not exist. A like that a server writes there stays until its account is purged: the server may
//     be about to write the post.
func (h *Handlers) OnLikeWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnLikeWritten", e, func(ctx context.Context, r *run) error {
		post, who := r.ids[0], r.ids[1]
		a := act{who, actOne, map[string]string{schema.ArgPost: post, schema.ArgReader: who}, ""}
		return h.ofDocument(ctx, r, a, func() error { return h.index.Tallies.Liked(ctx, post) })
	})
}

// OnRequestWritten notifies an account of requests to follow it. It is deployed only with notifications. Requests count
// for the requester's hour: see [Handlers.within]. Its event may arrive twice, late, never, or while its twin runs, like
// the event of a like: see [Handlers.OnLikeWritten].
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

// OnCommentWritten counts the comments on a post, and notifies its author. If timelines are ranked, a new comment lifts
// the post. The function is deployed only with ranked timelines, numbers or notifications. Comments count for the
// commenter's hour. Its event may arrive:
//
//   - twice, late or out of order: at never falls, and the count uses the current documents. See
//     [ranking.Ranking.Comment] and [tallies.Tallies.Tally];
//   - never: the post stays at its place, and the next comment or a repair counts this comment;
//   - before the post's own event: then the fan-out that brings the post's entries lifts them;
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
			return h.ofDocument(ctx, r, a, func() error { return h.index.Tallies.Commented(ctx, post) })
		}
		if h.index.Ranking != nil && textIn(written, schema.FieldAudience) != "" { // lifts the post for readers who do not follow them
			a.weight = actGroup
		}
		return h.within(ctx, r, a, func() error { return h.commented(ctx, post, comment) })
	})
}

// commented does the work of a new comment.
func (h *Handlers) commented(ctx context.Context, post, comment string) error {
	var lifted error // does not hold up the count
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

// follow updates the index for a follow, and counts the follow once it is settled. day is the day of the event's follow;
// "": none.
func (h *Handlers) follow(ctx context.Context, author, follower, day string) error {
	if err := h.index.Graph.Follow(ctx, author, follower); err != nil {
		return err
	}
	return joined(
		h.index.Tallies.Tally(ctx, tallies.Followers(author), tallies.Following(follower)),
		h.index.Tallies.Followed(ctx, author, follower, day))
}

// dayOf returns the day of a follow; "" if the day is unknown.
func dayOf(follow *firestoredata.Document) string {
	at, known := timeOf(follow.GetFields()[schema.FieldCreatedAt])
	if !known {
		return ""
	}
	return tallies.DayOf(at)
}

// returned counts the documents of an account whose profile was created again before its purge. The profile is a new
// document without numbers, and events that came meanwhile have not counted in it.
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

// tallyPost updates at once the numbers and notifications that an event of a post changes: the posts of its audience,
// its comments, and its author's notifications. The cost of these does not depend on the post. It also removes
// mentions, and counts those of hidden posts, which costs a read for each person without such a notification. New mentions wait with the post: see
// [Handlers.bring]. An edit of fields that do not count, such as the functions' own edits of counts, costs nothing.
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
	}
	if dropped || c.before != nil && (other || shown(c.before) != shown(c.after)) {
		for _, post := range []*firestoredata.Document{c.before, c.after} {
			u := textIn(post, schema.FieldUserID)
			all = append(all, tallies.Notification(u, tallies.Like, p), tallies.Notification(u, tallies.Comment, p))
		}
	}
	var taken []tallies.Subject
	named := namedIn(c.after)
	for _, u := range namedIn(c.before) {
		if author || shown(c.before) && !shown(c.after) || !slices.Contains(named, u) {
			taken = append(taken, tallies.Notification(u, tallies.Mention, textIn(c.before, schema.FieldUserID)))
		}
	}
	for _, u := range named { // of a post that nobody sees: it counts, and tells nobody
		if !shown(c.after) && (author || !slices.Contains(namedIn(c.before), u)) {
			taken = append(taken, tallies.Notification(u, tallies.Mention, textIn(c.after, schema.FieldUserID)))
		}
	}
	return joined(h.index.Tallies.Tally(ctx, all...), h.index.Tallies.Taken(ctx, taken...))
}

// asOf returns a context for the work that the event of a post requests.
func (r *run) asOf(ctx context.Context) context.Context {
	return posts.OfEvent(ctx, r.change.after.GetUpdateTime().AsTime())
}

// newlyNames returns the people whom the post names, and whom it did not show that it names before the event.
func (c change) newlyNames() []string {
	before := namedIn(c.before)
	if !shown(c.before) || textIn(c.before, schema.FieldUserID) != textIn(c.after, schema.FieldUserID) {
		before = nil
	}
	return slices.DeleteFunc(namedIn(c.after), func(u string) bool { return slices.Contains(before, u) })
}

// bring brings a post to its readers, and then notifies the people whom the post names. anew: perhaps it did not name them
// before.
func (h *Handlers) bring(ctx context.Context, post string, anew bool) error {
	if err := h.index.Deliveries.Post(ctx, post); err != nil {
		return err // the event comes again: with the notifications first, each retry would notify all people
	}
	return h.index.Tallies.Mention(ctx, post, anew)
}

// shown reports whether a post exists and is not hidden.
func shown(post *firestoredata.Document) bool {
	return post != nil && !post.GetFields()[schema.FieldHidden].GetBooleanValue()
}

// countedFor returns the audience whose number of posts includes the post, as in the query of tallies; "": none.
func countedFor(post *firestoredata.Document) string {
	hidden, is := post.GetFields()[schema.FieldHidden].GetValueType().(*firestoredata.Value_BooleanValue)
	if !is || hidden.BooleanValue {
		return ""
	}
	return textIn(post, schema.FieldAudience)
}

// dropsCounts reports whether a write has removed the numbers of a document that still exists: a server's write without
// merge.
func (c change) dropsCounts() bool {
	had, has := c.before.GetFields()[names.FieldCounts], c.after.GetFields()[names.FieldCounts]
	return had != nil && has == nil && c.after != nil
}

// namedIn returns the accounts in a post's field to; none if it has too many elements: see [schema.RecipientsOf].
func namedIn(post *firestoredata.Document) (named []string) {
	to := post.GetFields()[schema.FieldTo].GetArrayValue().GetValues()
	if len(to) > schema.MaxRecipients {
		return nil
	}
	for _, v := range to {
		if u := v.GetStringValue(); schema.CheckAccountID(u) == nil {
			named = append(named, u)
		}
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
