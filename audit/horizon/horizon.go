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

// Old is the age of the stored horizon at which all functions use it. It is the time for which they may cache the
// horizon, plus more than the 270 seconds that a transaction may last. Each transaction reads the horizon when it
// begins.
const Old = schema.HorizonTTL + 5*time.Minute

// ErrUnused means that the functions would not use a horizon: their configuration has none.
var ErrUnused = errors.New("RELATIONINDEX_HORIZON is not set in the configuration of the functions")

// ErrChanged means that another process has changed the stored horizon meanwhile.
var ErrChanged = errors.New("another command changed the horizon during this command: run this command again")

// ErrMissing means that relations are still missing after the repair wrote them.
var ErrMissing = errors.New("relations are still missing after the repair, so feeds keep the earlier horizon: fix what 'relationindex verify' reports for invariant 3, then run this command again")

// Options are the options of Change. The zero value is the default.
type Options struct {
	// Wait waits for a duration; nil: by a timer.
	Wait func(context.Context, time.Duration) error
	// Stored is called with each horizon that was stored or found, and with the time until the functions use it. nil:
	// not called.
	Stored func(schema.Horizon, time.Duration)
	// Progress gets the progress of [repair.Repairer.Repair]. Before the repair, it gets "expireAt" and the number of
	// relations read so far. nil: not called.
	Progress func(doing string, documents int64)
}

// Changed describes the work of Change besides storing the horizon.
type Changed struct {
	repair.Repaired
	Repair  bool  `json:"repair"`  // it repaired: the horizon is longer
	Renewed int64 `json:"renewed"` // relations with a new expireAt
	Shorter bool  `json:"shorter"` // it read no relation: the horizon is shorter
}

// Change makes d the horizon; 0: none, so that posts of any age have relations. The system must
// have a horizon in its options, unless d is 0; otherwise Change returns ErrUnused.
//
// Feeds are complete all the time. Change first lowers the horizon that readers use. It then stores the horizon that
// functions keep. After each of these two writes, it waits until the stored horizon is [Old]. Then it sets the expireAt
// of d in each relation that has none, or an earlier one. That costs a read for each relation, without its followers,
// and a write for each changed one. A horizon shorter than before skips this: relations keep a later expireAt than they
// need. If d is longer than the horizon that readers used, Change then repairs all relations, which writes the missing
// ones. Last, it raises the horizon that readers use.
//
// After a crash or an error, run it again with the same d: it continues. It returns ErrChanged if another process
// changes the horizon at the same time. If the repair fails, or leaves relations missing, readers keep their earlier
// horizon. Relations that are missing because clients are writing do not count: their events are under way.
func Change(ctx context.Context, s *social.System, d time.Duration, o Options) (Changed, error) {
	if err := schema.CheckHorizon(d); err != nil {
		return Changed{}, err
	}
	if d > 0 && s.DB.Config.Horizon == 0 {
		return Changed{}, ErrUnused
	}
	if err := s.Graph.CheckTombstoneKey(ctx); err != nil { // before the first write: the repair needs the key
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
	// A crash after any of these writes leaves a horizon that is safe for readers. They use the shorter of the old and
	// the new horizon until the relations of the longer one exist.
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
	// If nothing is stored, the document of a horizon may have been deleted.
	if feed == d && (d > 0 || c.at.Exists()) {
		return c.store(ctx, schema.Horizon{Feed: d, Kept: d}) // store checks whether it has changed meanwhile
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

// shorter returns the shorter of two horizons; 0 is longer than any other.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// read reads the stored horizon. If the document is damaged, readers may rely only on the shortest horizon.
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

// store stores a horizon, if the stored one has not changed since c read it. It writes nothing if the horizon is the
// same.
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

// settle waits until the stored horizon is old. After a crash, the next run waits for the remaining time.
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
