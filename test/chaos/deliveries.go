package chaos

import (
	"context"
	"fmt"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/schema"
)

// deliver turns timelines off, or on again. Posts written while they are off have no entries. When
// timelines are on again, the command repair-timelines adds the entries.
func (r *run) deliver(ctx context.Context, on bool) error {
	cfg := r.Functions
	if !on {
		cfg = withoutTimelines(cfg)
	}
	if err := r.system.Reconfigure(ctx, cfg); err != nil {
		return fmt.Errorf("timelines on %t: %w", on, err)
	}
	if !on || r.Unrepaired {
		return nil
	}
	t, err := OpenTimelines(r.system.Client(), r.Functions)
	if err != nil {
		return err
	}
	var all []entries.Problem
	for range mostRepairs {
		all = nil
		checked, err := entries.Repair(ctx, t.delivery, entries.Options{Report: func(p entries.Problem) { all = append(all, p) }})
		if err != nil {
			return fmt.Errorf("repair-timelines: %w", err)
		}
		if checked.Unrepaired == 0 {
			return r.rest(ctx)
		}
	}
	return fmt.Errorf("repair-timelines, %d times: %v", mostRepairs, all)
}

// mostRepairs is the number of tries of a repair. A repair asks for another while a document keeps
// changing.
const mostRepairs = 3

// withoutTimelines returns the configuration with relations alone.
func withoutTimelines(cfg schema.Config) schema.Config {
	cfg.Feeds, cfg.Bucket, cfg.Cap, cfg.Expire, cfg.Backfill, cfg.KeepOnUnfollow = nil, 0, 0, 0, 0, false
	cfg.ReaderSettings, cfg.Idle, cfg.Ranked = false, 0, false
	return cfg
}
