package horizon

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

const (
	inPart   = 500 // relations that are read at once
	parallel = 64  // writes at once: each is small
)

// renew sets the expireAt of d in every relation that has none, or an earlier one. If d is 0, it deletes expireAt from
// every relation. It reads and writes no followers. It reads a relation again that another process writes meanwhile.
// New relations have the right expireAt, because the functions already use d.
//
// After a crash, the next run reads all relations again, and writes the remaining ones.
func (c *change) renew(ctx context.Context, d time.Duration) error {
	fields := []string{schema.FieldCreatedAt, schema.FieldExpireAt}
	ctx = wire.WithMask(ctx, func(string) bool { return true }, fields...)
	q := c.DB.Relations().Select(fields...)
	var renewed atomic.Int64
	update := bulk.Change(func(_ context.Context, _ chunker.Job, r *firestore.DocumentSnapshot) ([]firestore.Update, error) {
		return renewal(r, d), nil
	})
	walk := bulk.Walk(parallel, func(chunker.Job) (firestore.Query, error) { return q, nil }, func(ctx context.Context, job chunker.Job, r *firestore.DocumentSnapshot) error {
		err := update(ctx, job, r)
		if err == nil && len(renewal(r, d)) > 0 {
			renewed.Add(1)
		}
		return err
	})
	read := int64(0)
	for page := (chunker.Page{More: true}); page.More; {
		var err error
		page, err = walk(ctx, chunker.Job{}, page.Last, inPart)
		c.done.Renewed = renewed.Load()
		if err != nil {
			return fmt.Errorf("expireAt of relations: %w", err)
		}
		if read += int64(page.Done); c.Progress != nil {
			c.Progress("expireAt", read)
		}
	}
	return nil
}

// renewal returns the updates of a relation that needs another expireAt. A relation with a createdAt that is no
// timestamp is damaged: repair writes it.
func renewal(r *firestore.DocumentSnapshot, d time.Duration) []firestore.Update {
	data := schema.FieldsOf(r, schema.FieldCreatedAt, schema.FieldExpireAt)
	created, dated := data[schema.FieldCreatedAt].(time.Time)
	now, expires := data[schema.FieldExpireAt].(time.Time)
	want := schema.ExpireAt(created, d)
	switch {
	case d == 0 && data[schema.FieldExpireAt] != nil:
		return []firestore.Update{{Path: schema.FieldExpireAt, Value: firestore.Delete}}
	case d > 0 && dated && (!expires || now.Before(want)):
		return []firestore.Update{{Path: schema.FieldExpireAt, Value: want}}
	default:
		return nil
	}
}
