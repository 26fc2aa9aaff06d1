package chaos

import (
	"context"
	"fmt"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/internal/runtime/config"
)

// deliver turns timelines off, and on again. What was written meanwhile has no entries then: the command
// repair-timelines brings them.
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
	_, err = entries.Repair(ctx, t.delivery, entries.Options{Report: func(entries.Problem) {}})
	if err != nil {
		return fmt.Errorf("repair-timelines: %w", err)
	}
	return r.rest(ctx)
}

// withoutTimelines is a configuration with relations alone.
func withoutTimelines(cfg config.Functions) config.Functions {
	cfg.Timeline, cfg.RelationsOff, cfg.Bucket, cfg.Cap, cfg.Expire, cfg.Backfill, cfg.KeepOnUnfollow = "", false, 0, 0, 0, 0, false
	cfg.ReaderSettings, cfg.Idle, cfg.Ranked = false, 0, false
	return cfg
}
