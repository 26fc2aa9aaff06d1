package horizon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

// Old is how old the stored horizon must be before all functions go by it: the time for
// which they may keep it, and more than the 270 seconds that a transaction lasts. Each of their
// transactions looks when it begins.
const Old = schema.HorizonTTL + 5*time.Minute

// ErrUnused means that the functions would not use a horizon: their configuration has none.
var ErrUnused = errors.New("RELATIONINDEX_HORIZON is not set in the configuration of the functions")

// ErrChanged means that somebody else has changed the stored horizon meanwhile.
var ErrChanged = errors.New("another command changed the horizon during this command: run this command again")

// ErrMissing means that the repair has written relations in vain.
var ErrMissing = errors.New("relations are still missing after the repair, so feeds keep the earlier horizon: fix what 'relationindex verify' reports for invariant 3, then run this command again")

// Options are the options of Change. The zero value is the default.
type Options struct {
	// Wait waits; nil: for that long.
	Wait func(context.Context, time.Duration) error
	// Stored is called with each horizon that was stored or found, and how long Change
	// waits for the functions to go by it. nil: not called.
	Stored func(schema.Horizon, time.Duration)
	// Progress is that of [repair.Repairer.Repair]. Before, it is called with "expireAt" and the number
	// of relations read so far. nil: not called.
	Progress func(doing string, documents int64)
}

// Changed is what Change did beside storing the horizon.
type Changed struct {
	repair.Repaired
	Repair  bool  `json:"repair"`  // it repaired: the horizon is longer
	Renewed int64 `json:"renewed"` // relations that have got another expireAt
	Shorter bool  `json:"shorter"` // it looked at no relation: the horizon is shorter
}

// Change makes d the horizon; 0: none, so that posts of any age have relations. The system must
// have a horizon in its options, unless d is 0; otherwise Change returns ErrUnused.
//
// Feeds are complete all the time. Change first lowers what readers rely on, and stores what
// the functions keep next. After each of the two it waits until the stored horizon is [Old].
// Then it gives each relation the expireAt of d that has none, or an earlier one: a read for each
// relation, without its followers, and a write for each of these. A shorter horizon than the one
// before takes none of that: relations keep a later expireAt than they need. If d is longer than what
// readers relied on, it then repairs all relations, which writes the missing ones. Last it raises what
// readers rely on.
//
// After a crash or an error, run it again with the same d: it continues. It returns ErrChanged if somebody
// else changes the horizon at the same time. If the repair fails, or leaves relations missing, readers
// rely on no more than before. What it leaves while clients write is under way.
func Change(ctx context.Context, s *social.System, d time.Duration, o Options) (Changed, error) {
	if err := schema.CheckHorizon(d); err != nil {
		return Changed{}, err
	}
	if d > 0 && s.DB.Config.Horizon == 0 {
		return Changed{}, ErrUnused
	}
	if err := s.Graph.CheckTombstoneKey(ctx); err != nil { // before anything is stored: the repair needs it
		return Changed{}, err
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	c := &change{System: s, Options: o}
	err := c.run(ctx, d)
	if err != nil {
		err = fmt.Errorf("horizon %v: %w", d, err)
	}
	return c.done, err
}

// change is one call of Change.
type change struct {
	*social.System
	Options
	at   *firestore.DocumentSnapshot // the stored horizon
	done Changed
}

func (c *change) run(ctx context.Context, d time.Duration) error {
	now, err := c.read(ctx)
	if err != nil {
		return err
	}
	// A crash after any of these leaves a horizon that readers may rely on: they rely on the
	// shorter of before and after until the relations of the longer are there.
	feed := shorter(now.Feed, d)
	for _, next := range []schema.Horizon{{Feed: feed, Kept: now.Kept}, {Feed: feed, Kept: d}} {
		if err := c.store(ctx, next); err != nil {
			return err
		}
		if err := c.settle(ctx, next); err != nil {
			return err
		}
	}
	if c.done.Shorter = d > 0 && d < now.Kept && now.Feed == now.Kept; !c.done.Shorter {
		if err := c.renew(ctx, d); err != nil {
			return err
		}
	}
	// Where nothing is stored, somebody may have deleted the document of a horizon.
	if feed == d && (d > 0 || c.at.Exists()) {
		return c.store(ctx, schema.Horizon{Feed: d, Kept: d}) // which looks whether it has changed meanwhile
	}
	c.DB.Horizons.Forget()
	c.done.Repair = true
	if c.done.Repaired, err = repair.New(c.System).Repair(ctx, "", nil, c.Progress); err == nil && c.done.Missing > 0 {
		err = ErrMissing
	}
	if err != nil {
		return err
	}
	return c.store(ctx, schema.Horizon{Feed: d, Kept: d})
}

// shorter returns the shorter of two horizons, of which 0 is the longest.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// read reads the stored horizon. One that is damaged says nothing: readers may rely on the
// shortest alone.
func (c *change) read(ctx context.Context) (schema.Horizon, error) {
	docs, err := store.ReadAll(ctx, c.DB.Client, []*firestore.DocumentRef{schema.HorizonDocument(c.DB.Client)})
	if err != nil {
		return schema.Horizon{}, err
	}
	c.at = docs[0]
	now, err := schema.DecodeHorizon(c.at)
	if err != nil {
		now = schema.Horizon{Feed: schema.MinHorizon}
	}
	return now, nil
}

// store stores a horizon, if the stored one is still what c has read. It writes nothing if
// the horizon is the same.
func (c *change) store(ctx context.Context, next schema.Horizon) error {
	ref := schema.HorizonDocument(c.DB.Client)
	err := c.DB.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		doc, err := store.GetMaybe(tx, ref)
		if err != nil {
			return err
		}
		if doc.Exists() != c.at.Exists() || !doc.UpdateTime.Equal(c.at.UpdateTime) {
			return ErrChanged
		}
		if now, err := schema.DecodeHorizon(doc); err == nil && now == next {
			return nil
		}
		return tx.Set(ref, next.Fields())
	})
	if err != nil {
		return err
	}
	now, err := c.read(ctx)
	if err != nil {
		return err
	}
	if now != next {
		return ErrChanged
	}
	return nil
}

// settle waits until the stored horizon is old. A crash before that makes the next run wait
// for the rest.
func (c *change) settle(ctx context.Context, now schema.Horizon) error {
	left := Old - c.at.ReadTime.Sub(c.at.UpdateTime)
	if !c.at.Exists() || left < 0 {
		left = 0
	}
	if c.Stored != nil {
		c.Stored(now, left)
	}
	if left == 0 {
		return nil
	}
	return c.Wait(ctx, left)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
