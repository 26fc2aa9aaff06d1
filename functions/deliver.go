package functions

import (
	"context"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// fieldHiddenBy names the group's owner or moderator who has hidden another author's post. Apart from deliver, only
// rules read it.
const fieldHiddenBy = "hiddenBy"

// deliver brings a post to its readers, within the hour of its author.
func (h *Handlers) deliver(ctx context.Context, r *run) error {
	fields := r.change.after.GetFields()
	author, named := fields[schema.FieldUserID].GetStringValue(), len(fields[schema.FieldTo].GetArrayValue().GetValues())
	weight := actOne
	if audience := audienceIn(r.change.after).GetStringValue(); audience != "" && audience != author {
		weight = actGroup
	}
	if by := r.change.before.GetFields()[fieldHiddenBy].GetStringValue(); by != "" && fields[fieldHiddenBy].GetStringValue() == "" {
		author = audienceIn(r.change.after).GetStringValue() // shown again by another person: does not count for the author
	}
	a := act{author, weight + named/recipientsOfAct, map[string]string{schema.ArgPost: r.ids[0]}, ""}
	bring := func() error { return h.bring(ctx, r.ids[0]) }
	if r.change.takes(h.copiedFields, h.signedFields) {
		return h.taking(ctx, r, a, bring)
	}
	if r.change.signs(h.copiedFields, h.signedFields) {
		a.weight = actSign
	}
	// If the post itself waits, an edit waits with it.
	if r.change.samePost([]string{names.FieldKind}) && !h.acts.waits(schema.LaterJobID(r.function, r.ids...)) {
		a.what = whatEdits
		bring = func() error { return h.index.Deliveries.Edited(ctx, r.ids[0]) }
	}
	return h.within(ctx, r, a, bring)
}
