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

// OnSettingsWritten makes a reader's timeline, and their notifications, what the reader has decided: see [tallies.Tallies.Again]
// and [tallies.Tallies.Less]. It is deployed only with settings. Changes of seenAt by somebody who was not idle cost nothing.
// Others count for the reader's hour: see [Handlers.within].
// Its event may arrive:
//
//   - twice, late or out of order: each change of the settings has an event, and what it says has
//     changed is only a reason to look. See [timelines.Delivery.Decided];
//   - never: `relationindex repair-timelines` does its work;
//   - while a post is brought: its transactions read the settings.
func (h *Handlers) OnSettingsWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnSettingsWritten", e, func(ctx context.Context, r *run) error {
		hides, shows := r.change.decided(h.cfg.Idle, h.index.DB.IdleSince())
		if !hides && !shows {
			return nil
		}
		if r.change.after == nil { // perhaps by a purge: a rebuild would bring the account's own posts, if they are kept
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

// decided is what a reader's decision asks for. others: they hide other authors or kinds.
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

// hasProfile reports whether an account is there. It costs a read.
func (h *Handlers) hasProfile(ctx context.Context, u string) (bool, error) {
	users, err := h.index.DB.Client.GetAll(ctx, []*firestore.DocumentRef{h.index.DB.User(u)})
	return err == nil && schema.HasProfile(users[0]), err
}

// OnHiddenWritten marks the entry of a post that a reader hides, or takes the mark away. It is
// deployed only with settings. Its event may arrive:
//
//   - twice, late or out of order: it reads what is true now. See [timelines.Delivery.Hide];
//   - never: the entry stays as it is, and `relationindex verify-timelines` reports it;
//   - while the post is brought: see [readers.Hidden].
func (h *Handlers) OnHiddenWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnHiddenWritten", e, func(ctx context.Context, r *run) error {
		return h.index.Timelines.Hide(ctx, r.ids[0], r.ids[1])
	})
}

// idleMargin is how far the clocks of Firestore's servers may be apart: a reader who was idle to a
// fan-out has been away for as long, to their own settings.
const idleMargin = time.Minute

// decided says what a change of a reader's settings asks for: hides, if they hide more, and shows, if
// they hide less, or have been away for longer than idle. Who was never seen before has been away
// since then, if that is known.
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

// lacks reports whether an array has not all texts of another one.
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
