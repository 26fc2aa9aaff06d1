package functions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// fieldHiddenBy names the group's owner or moderator who has hidden another author's post. Apart from deliver, only
// rules read it.
const fieldHiddenBy = "hiddenBy"

// deliver brings a post to its readers, within the hour of its author. What the event takes from readers, it takes at
// once, also if the post waits, and brings nobody anything for it. That counts in the author's second budget. Beyond that
// budget, it counts and waits like all other work.
func (h *Handlers) deliver(ctx context.Context, r *run) error {
	c := r.change
	author, named := textIn(c.after, schema.FieldUserID), namedIn(c.after)
	a := act{author, actOne, map[string]string{schema.ArgPost: r.ids[0]}, ""}
	if audience := audienceIn(c.after).GetStringValue(); audience != "" && audience != author {
		a.weight = actGroup
	}
	if by := textIn(c.before, fieldHiddenBy); by != "" && textIn(c.after, fieldHiddenBy) == "" {
		var err error
		if a.account, err = h.judge(ctx, by, author, audienceIn(c.after).GetStringValue()); err != nil {
			return err
		}
	}
	lost, moved := c.lost()
	spared := func() bool { return h.acts.spares(a.account, actOne+(len(lost)+len(named))/recipientsOfAct) }
	edit := func() error { return h.index.Deliveries.Edited(ctx, r.ids[0]) }
	regained, err := h.regained(ctx, author, audienceIn(c.after).GetStringValue(), lost)
	if err != nil {
		return err
	}
	if !regained && c.takes(h.copiedFields, h.signedFields) && spared() {
		taken := h.take(ctx, c, r.ids[0])
		if c.unchanged(h.copiedFields) {
			return taken
		}
		a.weight, a.what = actSign, whatEdits
		return joined(taken, h.within(ctx, r, a, edit))
	}
	work := func() error {
		bringing := ctx
		if h.acts != nil { // whom else the post names by now has not counted
			bringing = posts.NamingOnly(ctx, named)
		}
		if (h.cfg.Notifications || h.acts != nil && len(named) > 0) && h.index.DB.Braked() { // who is named has and is told of it after the brake
			return joined(h.index.Deliveries.Post(bringing, r.ids[0]), h.leave(ctx, r, a, time.Time{}))
		}
		return h.bring(bringing, r.ids[0], len(c.newlyNames()) > 0)
	}
	if c.samePost([]string{names.FieldKind}) {
		a.what, work = whatEdits, edit
	}
	strangers, err := h.strangers(ctx, c, a.account)
	if err != nil {
		return err
	}
	if a.weight += len(named)/recipientsOfAct + actStranger*strangers; c.signs(h.copiedFields, h.signedFields) {
		a.weight = actSign
	}
	if h.acts != nil && a.what == "" {
		if a.args[schema.ArgNamed] = strings.Join(named, "/"); len(c.newlyNames()) > 0 {
			a.what = whatTo + a.args[schema.ArgNamed]
		}
	}
	waits, err := h.waits(ctx, r, a)
	if !waits {
		return work()
	}
	if (len(lost) > 0 || moved) && spared() {
		if taken := h.take(ctx, c, r.ids[0]); !errors.Is(taken, schema.ErrBadDocument) { // the job reports that
			err = joined(err, taken)
		}
	}
	return err
}

// hide takes a hidden or deleted post from everybody. That does not count, and does not wait. If the post is shown again by
// now, that has an event of its own. Then, if the account that shows it has no acts left, hide looks only at people whom
// the post named, within the second budget: otherwise each hide or deletion would look at all copies, and remove none. A
// second call changes nothing. A crash leaves the event. Without acts left, it costs a read more, and what judge costs.
func (h *Handlers) hide(ctx context.Context, r *run) error {
	before, p := r.change.before, r.ids[0]
	author, audience := textIn(before, schema.FieldUserID), audienceIn(before).GetStringValue()
	account := author
	if by := textIn(r.change.after, fieldHiddenBy); by != "" {
		var err error
		if account, err = h.judge(ctx, by, author, audience); err != nil {
			return err
		}
	}
	if h.acts.over(r.function, account) {
		now, _, err := posts.Current(ctx, h.index.DB, p)
		if err != nil && !errors.Is(err, schema.ErrBadDocument) {
			return err
		}
		if audience != "" && now != nil && now.Author == author && now.Audience == audience {
			if named := namedIn(before); len(named) > 0 && h.acts.spares(account, actOne+len(named)/recipientsOfAct) {
				return h.index.Deliveries.Take(ctx, p, named)
			}
			return nil
		}
	}
	return h.index.Deliveries.Edited(ctx, p)
}

// judge returns the account for which it counts that another person than the author hides a post, or shows it again: the
// owner of a group, with all their groups as one; the group, if a moderator does, or nobody owns it; "", if the post is for
// no group. An owner costs a read. A second call returns the same, unless the group has another owner.
func (h *Handlers) judge(ctx context.Context, by, author, audience string) (account string, err error) {
	switch {
	case audience == author:
		return "", nil
	case h.acts == nil || by != "owner" || schema.CheckAccountID(audience) != nil:
		return audience, nil
	}
	groups, err := h.index.DB.Client.GetAll(ctx, []*firestore.DocumentRef{h.index.DB.User(audience)})
	if err != nil {
		return "", err
	}
	return cmp.Or(schema.TextOf(groups[0], schema.FieldOwnerID), audience), nil
}

// take takes a post from those who lose it by an event, and brings it to nobody. It uses the current post: who has the
// post by that keeps it. Of people whom the post names no longer, it looks only at their copies. If the post has another
// author or audience than before, it looks at all copies, but only if the current post has too: so an author who changes
// the audience and back gains no more such looks than there are copies to remove. A second call changes nothing. A crash
// leaves the event. It costs a read of a post that has another author or audience, and [followers.Delivery.Take] or
// [followers.Delivery.Edited].
func (h *Handlers) take(ctx context.Context, c change, post string) error {
	lost, moved := c.lost()
	if moved {
		now, _, err := posts.Current(ctx, h.index.DB, post)
		if err != nil && !errors.Is(err, schema.ErrBadDocument) {
			return err
		}
		if now == nil || now.Author != textIn(c.before, schema.FieldUserID) || now.Audience != audienceIn(c.before).GetStringValue() {
			return h.index.Deliveries.Edited(ctx, post)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return h.index.Deliveries.Take(ctx, post, lost)
}

// regained reports whether some of the people whom a post for a group names no longer block its author: a timeline had lost
// the post by the name, and gets it by the group again. If the block ends before the event comes, only a repair brings the
// post. It costs a read for each of these people.
func (h *Handlers) regained(ctx context.Context, author, audience string, lost []string) (bool, error) {
	if h.index.Timelines == nil || len(lost) == 0 || audience == author || schema.CheckAccountID(audience) != nil || schema.CheckAccountID(author) != nil {
		return false, nil
	}
	var refs []*firestore.DocumentRef
	for _, u := range lost {
		refs = append(refs, h.index.DB.Block(u, author))
	}
	docs, err := h.index.DB.Client.GetAll(ctx, refs)
	return slices.ContainsFunc(docs, func(doc *firestore.DocumentSnapshot) bool { return doc.Exists() }), err
}

// strangers returns how many of the people whom the post newly names follow neither its author nor its audience. It costs
// a read or two for each of these people, which counts in an account's second budget. Beyond that, all of them are
// strangers. Without an hour, nobody is.
func (h *Handlers) strangers(ctx context.Context, c change, account string) (n int, err error) {
	author, audience := textIn(c.after, schema.FieldUserID), audienceIn(c.after).GetStringValue()
	people := slices.DeleteFunc(c.newlyNames(), func(u string) bool { return u == author })
	slices.Sort(people)
	people = slices.Compact(people)
	switch {
	case h.acts == nil || len(people) == 0 || schema.CheckAccountID(author) != nil:
		return 0, nil
	case !h.acts.spares(account, actOne+len(people)/recipientsOfAct):
		return len(people), nil
	}
	var refs []*firestore.DocumentRef
	for _, u := range people {
		if refs = append(refs, h.index.DB.Follower(author, u)); audience != author && schema.CheckAccountID(audience) == nil {
			refs = append(refs, h.index.DB.Follower(audience, u))
		}
	}
	docs, err := h.index.DB.Client.GetAll(ctx, refs)
	known := map[string]bool{}
	for _, doc := range docs {
		known[doc.Ref.ID] = known[doc.Ref.ID] || doc.Exists()
	}
	return len(slices.DeleteFunc(people, func(u string) bool { return known[u] })), err
}
