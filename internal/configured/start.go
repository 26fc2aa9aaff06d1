package configured

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// Start stores the configuration of starting functions, and the gaps that come with it, unless functions of a
// later deployment have stored theirs. If neither has a deployment time, or both have the same, the last one
// to start wins, and a log line shows the changes. Processes that start at once agree: each writes on
// condition that the document is unchanged.
//
// Start costs a read. If something changes, it costs a write, and then a read for each process that wrote
// first. The first start in a database costs two writes. A crash between these two leaves a document whose
// import is not detected until the next start. You may call Start again.
func Start(ctx context.Context, client *firestore.Client, cfg schema.Config, logger *slog.Logger) (Configuration, error) {
	for {
		stored, now, err := read(ctx, client)
		damaged := errors.Is(err, schema.ErrDamaged)
		if err != nil && !damaged {
			return Configuration{}, err
		}
		next, changes := stored.next(cfg, now, damaged)
		if !changes {
			stored.tell(ctx, cfg, logger)
			return stored, nil
		}
		if err := next.write(ctx, client); store.IsStale(err) {
			continue // another process was first
		} else if err != nil {
			return Configuration{}, err
		}
		next.exists = true
		stored.told(ctx, next, logger)
		return next, nil
	}
}

// next returns the configuration to store for cfg, and whether it differs from the stored one.
func (c Configuration) next(cfg schema.Config, now time.Time, damaged bool) (Configuration, bool) {
	mine := Configuration{Variables: config.Stored(cfg), IdleSince: c.IdleSince, Gaps: map[string]Gap{}, exists: c.exists, updated: c.updated, created: c.created}
	mine.Deployed, _ = time.Parse(time.RFC3339, cfg.Deployed) // checked by Validate
	if c.superseded(mine.Deployed) {
		return c, false
	}
	switch {
	case cfg.Idle == 0:
		mine.IdleSince = time.Time{}
	case c.Variables["RELATIONINDEX_IDLE"] == "" || c.IdleSince.IsZero():
		mine.IdleSince = now
	}
	for delivery, gap := range c.Gaps {
		if config.Delivers(cfg, delivery) {
			mine.Gaps[delivery] = gap
		}
	}
	differ := config.Differences(c.Variables, mine.Variables)
	if mine.Deployed.IsZero() && len(differ) == 0 {
		mine.Deployed = c.Deployed
	}
	switch {
	case damaged:
		mine.lacksAll(now, "its configuration was damaged")
	case c.exists && config.CheckNames(slices.Collect(maps.Keys(c.Variables))) != nil:
		mine.lacksAll(now, "functions of another release ran before")
	case c.exists:
		mine.lacks(differ, cfg, now)
	}
	changes := !c.exists || damaged || !maps.Equal(c.Variables, mine.Variables) || mine.Deployed.After(c.Deployed) || c.created.IsZero() ||
		!mine.IdleSince.Equal(c.IdleSince) || !maps.Equal(mine.Gaps, c.Gaps)
	return mine, changes
}

// superseded reports whether the stored configuration is of a later deployment.
func (c Configuration) superseded(deployed time.Time) bool {
	return !deployed.IsZero() && deployed.Before(c.Deployed)
}

// lacks adds the gaps that come with changed variables.
func (c *Configuration) lacks(differ []config.Difference, cfg schema.Config, now time.Time) {
	changed := map[string][]string{} // by delivery
	for _, d := range differ {
		for _, delivery := range []string{config.Relations, config.Timelines} {
			if config.Delivers(cfg, delivery) && d.Opens(delivery) {
				changed[delivery] = append(changed[delivery], d.Variable)
			}
		}
	}
	for delivery, variables := range changed {
		c.Gaps[delivery] = Gap{now, "changed: " + strings.Join(variables, ", ")}
	}
}

// write stores c on condition that the document has not changed since c was read. A crash right after it
// leaves nothing undone, except the stored create time of a new document.
func (c *Configuration) write(ctx context.Context, client *firestore.Client) error {
	ref := Document(client)
	fields := map[string]any{
		"variables": c.Variables, "deployed": c.Deployed, "idleSince": c.IdleSince, "gaps": c.Gaps,
		"database": databaseOf(ref), "writtenAt": firestore.ServerTimestamp,
	}
	if c.exists && !c.created.IsZero() {
		result, err := ref.Update(ctx, updates(fields), firestore.LastUpdateTime(c.updated))
		if err == nil {
			c.updated = result.UpdateTime
		}
		return err
	}
	if c.exists { // the document was imported, or this is its second write: its create time is known now
		snap, err := ref.Get(ctx)
		if err != nil {
			return err
		}
		fields["created"] = snap.CreateTime
		result, err := ref.Update(ctx, updates(fields), firestore.LastUpdateTime(c.updated))
		if err == nil {
			c.updated, c.created = result.UpdateTime, snap.CreateTime
		}
		return err
	}
	result, err := ref.Create(ctx, fields)
	if err != nil {
		return err
	}
	c.created = result.UpdateTime
	stamped, err := ref.Update(ctx, updates(map[string]any{"created": c.created, "writtenAt": firestore.ServerTimestamp}), firestore.LastUpdateTime(result.UpdateTime))
	if store.IsStale(err) { // another process has written the create time
		return nil
	}
	if err == nil {
		c.updated = stamped.UpdateTime
	}
	return err
}

func updates(fields map[string]any) (all []firestore.Update) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		all = append(all, firestore.Update{Path: name, Value: fields[name]})
	}
	return all
}

// tell logs that an earlier deployment's functions have started.
func (c Configuration) tell(ctx context.Context, cfg schema.Config, logger *slog.Logger) {
	if differ := config.Differences(c.Variables, config.Stored(cfg)); len(differ) > 0 {
		logger.WarnContext(ctx, "functions of an earlier deployment have started: their configuration is not stored", logging.Changes, sentences(differ))
	}
}

// told logs the changes from c to next, the stored configuration.
func (c Configuration) told(ctx context.Context, next Configuration, logger *slog.Logger) {
	if differ := config.Differences(c.Variables, next.Variables); c.exists && len(differ) > 0 {
		level := slog.LevelWarn
		if next.Deployed.After(c.Deployed) {
			level = slog.LevelInfo
		}
		logger.Log(ctx, level, "the functions run with another configuration", logging.Changes, sentences(differ))
	}
	for _, delivery := range slices.Sorted(maps.Keys(next.Gaps)) {
		if gap := next.Gaps[delivery]; gap != c.Gaps[delivery] || c.created.IsZero() {
			logger.WarnContext(ctx, "a delivery has a gap: when the deployment has ended, run 'relationindex repair'",
				logging.Delivery, delivery, logging.Reason, gap.Reason)
		}
	}
}

func sentences(differ []config.Difference) string {
	var all []string
	for _, d := range differ {
		all = append(all, fmt.Sprintf("%s was %q, is %q", d.Variable, d.Functions, d.Here))
	}
	return strings.Join(all, "; ")
}

// Lack stores a gap of a delivery from now on. Call it before writing documents that the delivery does not
// bring. It costs a read and a write. If functions have stored no configuration, or one without the delivery,
// Lack does nothing.
func Lack(ctx context.Context, client *firestore.Client, delivery, reason string) error {
	for {
		c, now, err := read(ctx, client)
		if err != nil || !c.exists || !deliversOf(c.Variables)[delivery] {
			return err
		}
		if c.Gaps == nil {
			c.Gaps = map[string]Gap{}
		}
		c.Gaps[delivery] = Gap{now, reason}
		if err := c.write(ctx, client); !store.IsStale(err) {
			return err
		}
	}
}

// Close closes gaps that a repair has mended: the gaps that existed when the repair began and have not
// changed. Gaps found later stay. It costs a read, and a write if it closes any.
func Close(ctx context.Context, client *firestore.Client, mended map[string]Gap) error {
	for {
		c, _, err := read(ctx, client)
		if err != nil {
			return err
		}
		before := len(c.Gaps)
		maps.DeleteFunc(c.Gaps, func(delivery string, gap Gap) bool {
			was, ok := mended[delivery]
			return ok && was.Found.Equal(gap.Found)
		})
		if len(c.Gaps) == before {
			return nil
		}
		if err := c.write(ctx, client); !store.IsStale(err) {
			return err
		}
	}
}
