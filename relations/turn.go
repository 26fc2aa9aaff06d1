package relations

import (
	"context"
	"slices"

	"example.com/relationindex/schema"
)

// turn is what one event needs of an audience's kept posts: that these are kept, or, if there
// are none, that old ones are evicted.
type turn struct{ keep []string }

// takeTurn does what several turns of an audience need. Of a process, one at a time changes
// which posts are kept: others would wait for its locks, or do the same again.
func (x *Delivery) takeTurn(ctx context.Context, audience string, turns []turn) error {
	var ids []string
	evicts := false
	for _, t := range turns {
		ids = append(ids, t.keep...)
		evicts = evicts || len(t.keep) == 0
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) > 0 {
		ids, err := x.kept.Missing(ctx, nil, audience, ids) // others may have kept them
		if err == nil && len(ids) > 0 {
			_, err = x.keep(ctx, audience, ids) // if stale, the caller plans again
		}
		if err != nil {
			return err
		}
	}
	horizon, err := x.horizon(ctx)
	if err != nil || horizon == 0 || !evicts {
		return err
	}
	_, err = x.evict(ctx, audience, horizon, schema.KeptAtMost(horizon), x.db.Options.InlineLimit, x.evictByJob)
	return err
}
