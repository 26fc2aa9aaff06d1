package weather

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/emulator/ttl"
)

// keyError is an attribute of log records.
const keyError = "error"

const (
	// expireRounds is the number of rounds in the delay of TTL.
	expireRounds = 24
	// expirePause is the shortest pause between two rounds. A query makes the emulator read each document of a collection id.
	expirePause = 100 * time.Millisecond
)

// RunTTL calls DeleteExpired until ctx ends, 24 times in the delay: each hour without a scale. It returns at once without a
// TTL. It logs the error of a round, and the next round tries again.
func (w *Weather) RunTTL(ctx context.Context, host string, log *slog.Logger) {
	if w.o.TTL.Delay == 0 {
		return
	}
	for w.sleep(ctx, max(expirePause, w.o.TTL.Delay/expireRounds)) == nil {
		if _, err := w.DeleteExpired(ctx, host); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "could not delete expired documents; the next round tries again", keyError, err)
		}
	}
}

// DeleteExpired deletes documents that expired longer ago than the delay, and returns their number. It deletes
// from the emulator at host, as the owner, in all databases that calls have named. The deletions fire triggers, as in
// production. The next call retries a document that changes meanwhile.
func (w *Weather) DeleteExpired(ctx context.Context, host string) (int, error) {
	if w.o.TTL.Delay == 0 {
		return 0, nil
	}
	w.mu.Lock()
	databases := slices.Sorted(maps.Keys(w.databases))
	w.mu.Unlock()
	deleted := 0
	var errs []error
	for _, database := range databases {
		ids := strings.Split(database, "/") // projects/p/databases/d
		if len(ids) != 4 {
			continue
		}
		n, err := ttl.Delete(ctx, host, ids[1], ids[3], w.file, w.now().Add(-w.o.TTL.Delay))
		deleted += n
		errs = append(errs, err)
	}
	w.counts.expired.Add(int64(deleted))
	return deleted, errors.Join(errs...)
}
