package functions

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"

	"example.com/relationindex/internal/work"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
)

// OnSettingsWritten adapts a reader's timeline and notifications to the reader's settings: see [tallies.Tallies.Again]
// and [tallies.Tallies.Less]. It is deployed only with settings. A change of seenAt costs nothing if the reader was not
// idle. Other changes count for the reader's hour: see [Handlers.within].
// Its event may arrive:
//
//   - twice, late or out of order: each change of the settings has an event, which is only a reason to read the
//     settings. See [timelines.Delivery.Decided];
//   - never: `relationindex repair-timelines` does the work of the event;
//   - while a post is brought: its transactions read the settings.
func (h *Handlers) OnSettingsWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnSettingsWritten", e, func(ctx context.Context, r *run) error {
		hides, shows := r.change.decided(h.cfg.Idle, h.index.DB.IdleSince())
		if !hides && !shows {
			return nil
		}
		if r.change.after == nil { // perhaps by a purge: if posts are kept, a rebuild would bring the account's own posts
			if there, err := h.hasProfile(ctx, r.ids[0]); err != nil || !there {
				return err
			}
		}
		a := act{r.ids[0], actHide, map[string]string{schema.ArgReader: r.ids[0]}, whatHides}
		if shows {
			a.weight, a.what = actShow, ""
		}
		return h.within(ctx, r, a, func() error {
			return h.decided(ctx, r.ids[0], hides, shows, r.change.hidesOther())
		})
	})
}

// decided applies a reader's decision. others: the reader hides other authors or kinds than before.
func (h *Handlers) decided(ctx context.Context, reader string, hides, shows, others bool) error {
	var failed work.Failures
	if h.index.Timelines != nil {
		failed.Add(h.index.Timelines.Decided(ctx, reader, hides, shows))
	}
	switch {
	case others && shows:
		failed.Add(h.index.Tallies.Again(ctx, reader))
	case others:
		failed.Add(h.index.Tallies.Less(ctx, reader))
	}
	return failed.Joined()
}

// hasProfile reports whether an account has a profile. It costs a read.
func (h *Handlers) hasProfile(ctx context.Context, u string) (bool, error) {
	users, err := h.index.DB.Client.GetAll(ctx, []*firestore.DocumentRef{h.index.DB.User(u)})
	return err == nil && schema.HasProfile(users[0]), err
}

// OnHiddenWritten marks the entry of a post that a reader hides, or removes the mark. It is deployed only with settings.
// Both count for the reader's hour: see [Handlers.within]. Its event may arrive:
//
//   - twice, late or out of order: it reads the current state. See [timelines.Delivery.Hide];
//   - never: the entry stays as it is, and `relationindex verify-timelines` reports it;
//   - while the post is brought: see [readers.Hidden].
func (h *Handlers) OnHiddenWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnHiddenWritten", e, func(ctx context.Context, r *run) error {
		a := act{r.ids[0], actOne, map[string]string{schema.ArgReader: r.ids[0], schema.ArgPost: r.ids[1]}, ""}
		return h.within(ctx, r, a, func() error { return h.hidden(ctx, r.ids[0], r.ids[1]) })
	})
}

// hidden applies to a post whether a reader hides it.
func (h *Handlers) hidden(ctx context.Context, reader, post string) error {
	if h.index.Timelines == nil { // any more, when a job runs
		return nil
	}
	return h.index.Timelines.Hide(ctx, reader, post)
}

// idleMargin allows for the difference between the clocks of Firestore's servers. A reader who was idle for a fan-out
// must also count as idle when their own settings change.
const idleMargin = time.Minute

// decided returns the effects of a change of a reader's settings. hides: the reader hides more. shows: the reader hides
// less, or has been away for longer than idle. A reader without an earlier seenAt has been away from since on; if since
// is zero, that is unknown.
func (c change) decided(idle time.Duration, since time.Time) (hides, shows bool) {
	before, after := c.before.GetFields(), c.after.GetFields()
	lost := func(field string) bool { return lacks(after[field], before[field]) }
	gained := func(field string) bool { return lacks(before[field], after[field]) }
	hides = gained(readers.FieldHide) || lost(readers.FieldShow)
	shows = lost(readers.FieldHide) || gained(readers.FieldShow)
	seen, known := timeOf(before[readers.FieldSeenAt])
	again, seenAgain := timeOf(after[readers.FieldSeenAt])
	switch {
	case idle == 0 || !known && (since.IsZero() || !seenAgain):
		return hides, shows
	case !known:
		seen = since
	}
	return hides, shows || !seenAgain || again.Sub(seen) > idle-idleMargin
}

func timeOf(v *firestoredata.Value) (at time.Time, ok bool) {
	stamp := v.GetTimestampValue()
	return stamp.AsTime(), stamp != nil
}

// lacks reports whether at least one text of other is missing in array.
func lacks(array, other *firestoredata.Value) bool {
	var there []string
	for _, v := range array.GetArrayValue().GetValues() {
		there = append(there, v.GetStringValue())
	}
	slices.Sort(there)
	return slices.ContainsFunc(other.GetArrayValue().GetValues(), func(v *firestoredata.Value) bool {
		_, found := slices.BinarySearch(there, v.GetStringValue())
		return !found
	})
}
