package functions

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// Ready returns an error if a function of this process cannot work on the current database. It makes these checks:
//
//   - if relations end at a horizon, the configuration of every function but Feed needs one: see
//     [schema.ErrHorizonUnused];
//   - a function that looks up tombstones or makes jobs needs the key: see [followers.Graph.UseTombstoneKey];
//   - every function but Feed, which may not write, makes missing keys of cursors: see [feed.Keys.Make].
//
// A ready function has stored its configuration, or has found it stored: see [configured.Start]. Feed may not write: it
// logs why pages may lack posts.
//
// Concurrent calls share each check, which costs a read. A check costs another write, and may cost a read, if there is
// no hash of a tombstone key, there are no keys of cursors, or the configuration is new. Calls after a success cost
// nothing, except a read of the brake: see [schema.Database.LookAtBrake]. No event counts that read, or those for Feed, as
// its own.
func (h *Handlers) Ready(ctx context.Context, function string) error {
	if function == triggers.Feed {
		return h.gaps.once(wire.WithReason(ctx, function), h.tellGaps)
	}
	err := h.horizon.once(ctx, h.index.DB.CheckHorizon)
	if err == nil && config.NeedsTombstones(function) {
		err = h.key.once(ctx, h.index.Graph.UseTombstoneKey)
	}
	if err != nil {
		return err // a function that does nothing stores nothing
	}
	if err = h.cursors.once(ctx, h.cursorKeys.Make); err == nil {
		err = h.stored.once(ctx, h.store)
	}
	if err == nil {
		err = h.index.DB.LookAtBrake(wire.WithReason(ctx, reasonBrake))
	}
	return err
}

// reasonBrake is the reason of the calls that read the brake: they belong to no event.
const reasonBrake = "brake"

// store stores the configuration of this process.
func (h *Handlers) store(ctx context.Context) error {
	stored, err := configured.Start(ctx, h.index.DB.Client, h.cfg, h.runs.logger)
	if err == nil {
		h.Configured(stored)
	}
	return err
}

// Configured applies a configuration that was read or stored to the functions: the time from which a reader who was
// never seen counts as idle.
func (h *Handlers) Configured(stored configured.Configuration) {
	h.index.DB.SetIdleSince(stored.IdleSince)
}

// tellGaps logs why pages may lack posts. A damaged document does not prevent a reader's request.
func (h *Handlers) tellGaps(ctx context.Context) error {
	stored, err := configured.Read(ctx, h.index.DB.Client)
	if err != nil && !errors.Is(err, schema.ErrDamaged) {
		return err
	}
	for _, lacking := range stored.Lacking() {
		h.runs.logger.WarnContext(ctx, "pages may lack posts: run 'relationindex repair'", logging.Function, triggers.Feed, logging.Reason, lacking)
	}
	return nil
}

// check is something that must succeed once in a process.
type check struct {
	calls batch.Flight[struct{}]
	done  atomic.Bool
}

func (c *check) once(ctx context.Context, do func(context.Context) error) error {
	if c.done.Load() {
		return nil
	}
	_, err := c.calls.Do(ctx, "", func(ctx context.Context) (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, readyTimeout)
		defer cancel()
		err := do(ctx)
		if err == nil {
			c.done.Store(true)
		}
		return struct{}{}, err
	})
	return err
}

// readyTimeout limits each check of [Handlers.Ready]. An event that waits longer is
// redelivered.
const readyTimeout = 10 * time.Second
