package horizon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/assembly"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// Old is how old the stored horizon must be before all functions go by it: the time for
// which they may keep it, and one for what they do meanwhile.
const Old = schema.HorizonTTL + time.Minute

// ErrUnused means that the functions would not use a horizon: their configuration has none.
var ErrUnused = errors.New("the configuration of the functions has no horizon")

// ErrChanged means that somebody else has changed the stored horizon meanwhile.
var ErrChanged = errors.New("another command has changed the horizon meanwhile: run it again")

// Changed is what Change did.
type Changed struct {
	Audiences int64 `json:"audiences"` // looked at
	Filled    int64 `json:"filled"`    // posts that have relations again
	Evicted   int64 `json:"evicted"`   // posts that have no relations now
}

// Options are the options of Change. The zero value is the default.
type Options struct {
	// Wait waits; nil: for that long.
	Wait func(context.Context, time.Duration) error
	// Stored is called with each horizon that was stored or found, and how long Change
	// waits for the functions to go by it. nil: not called.
	Stored func(schema.Horizon, time.Duration)
	// Progress is called with the number of audiences so far; nil: not called.
	Progress func(audiences int64)
}

// Change makes n the horizon; 0: none, so that all posts have relations. The system must
// have a horizon in its options, unless n is 0; otherwise Change returns ErrUnused.
//
// Feeds are complete all the time. Change first lowers what readers rely on, and what the
// functions keep next. Then it looks at each audience: where n is more than readers relied
// on, it writes the missing relations of the newest posts; where too many posts are kept, it
// deletes the relations of the oldest. Last it raises what readers rely on. After each
// of the first two it waits until the stored horizon is [Old].
//
// After a crash or an error, run it again: it continues. It returns ErrChanged if somebody
// else changes the horizon at the same time. If an audience fails, the others go on, and
// readers rely on no more than before. The counts are right also with an error.
//
// It costs a read for each index document; for each audience one to count, and where it
// fills what Fill of package relations costs; and what it writes and deletes.
func Change(ctx context.Context, s *assembly.System, n int, o Options) (Changed, error) {
	if n < 0 || n > schema.MaxHorizon {
		return Changed{}, fmt.Errorf("horizon %d: must be 0 to %d posts", n, schema.MaxHorizon)
	}
	if n > 0 && s.DB.Options.Horizon == 0 {
		return Changed{}, ErrUnused
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	c := &change{System: s, Options: o, n: n}
	err := c.run(ctx)
	if err != nil {
		err = fmt.Errorf("horizon %d: %w", n, err)
	}
	return c.done, err
}

// change is one call of Change.
type change struct {
	*assembly.System
	Options
	n    int
	at   *firestore.DocumentSnapshot // the stored horizon
	done Changed
}

func (c *change) run(ctx context.Context) error {
	now, err := c.read(ctx)
	if err != nil {
		return err
	}
	// A crash after any of these leaves a horizon that readers may rely on: what they count
	// on is the least of before and after, until all audiences have more.
	feed := least(now.Feed, c.n)
	for _, next := range []schema.Horizon{{Feed: feed, Kept: now.Kept}, {Feed: feed, Kept: c.n}} {
		if err := c.store(ctx, next); err != nil {
			return err
		}
		if err := c.settle(ctx, next); err != nil {
			return err
		}
	}
	c.DB.Horizons.Forget()
	// Readers relied on no less than n before, so n posts are kept. Where nothing is stored,
	// somebody may have deleted the document of a horizon.
	if enough := feed == c.n && (c.n > 0 || c.at.Exists()); !enough || c.n > 0 {
		if err := c.walk(ctx, !enough); err != nil {
			return err
		}
	}
	return c.store(ctx, schema.Horizon{Feed: c.n, Kept: c.n})
}

// least returns the lower of two horizons, of which 0 is the highest.
func least(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// read reads the stored horizon. One that is damaged says of nothing that it is kept but the
// newest post.
func (c *change) read(ctx context.Context) (schema.Horizon, error) {
	docs, err := store.ReadAll(ctx, c.DB.Client, []*firestore.DocumentRef{schema.HorizonDocument(c.DB.Client)})
	if err != nil {
		return schema.Horizon{}, err
	}
	c.at = docs[0]
	now, err := schema.DecodeHorizon(c.at)
	if err != nil {
		now = schema.Horizon{Feed: 1}
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
		return tx.Set(ref, next)
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
