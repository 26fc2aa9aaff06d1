package weather

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/runtime/indexfile"
)

// keyError is an attribute of log records.
const keyError = "error"

const (
	// expirePage is the number of expired documents that are read at once.
	expirePage = 300
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

// DeleteExpired deletes documents whose time has been past for longer than the delay, and returns their number. It deletes
// from the emulator at host, as the owner, in all databases that calls have named. The deletions fire triggers, as in
// production. A document that changes meanwhile is left to the next call.
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
		n, err := w.expire(ctx, host, database)
		deleted += n
		errs = append(errs, err)
	}
	w.counts.expired.Add(int64(deleted))
	return deleted, errors.Join(errs...)
}

// expire deletes like DeleteExpired, in projects/p/databases/d.
func (w *Weather) expire(ctx context.Context, host, database string) (deleted int, err error) {
	ids := strings.Split(database, "/")
	if len(ids) != 4 {
		return 0, nil
	}
	connection, err := (&guard.Guard{}).Connect(host) // which rejects nothing
	if err != nil {
		return 0, err
	}
	client, err := firestore.NewClientWithDatabase(ctx, ids[1], ids[3], connection)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, client.Close()) }() // and the connection
	for _, o := range w.file.Overrides {
		if !o.TTL {
			continue
		}
		n, err := w.expireField(ctx, client, o)
		if deleted += n; err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}

func (w *Weather) expireField(ctx context.Context, client *firestore.Client, o indexfile.Override) (deleted int, err error) {
	before := w.now().Add(-w.o.TTL.Delay)
	query := client.CollectionGroup(o.Group).Where(o.Path, "<", before).Select(o.Path).Limit(expirePage)
	for {
		page, err := query.Documents(ctx).GetAll()
		if err != nil {
			return deleted, err
		}
		failed := 0
		for _, doc := range page {
			_, err := doc.Ref.Delete(ctx, firestore.LastUpdateTime(doc.UpdateTime))
			switch status.Code(err) {
			case codes.OK:
				deleted++
			case codes.FailedPrecondition, codes.NotFound, codes.Aborted: // it has changed, or is locked
				failed++
			default:
				return deleted, err
			}
		}
		if len(page) < expirePage || failed == len(page) {
			return deleted, nil
		}
	}
}
