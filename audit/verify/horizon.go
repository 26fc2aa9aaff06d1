package verify

import (
	"context"
	"time"

	"example.com/relationindex/schema"
)

// readHorizon reads the horizon, as it is stored now.
func (v *check) readHorizon(ctx context.Context) (err error) {
	v.horizon, err = schema.NewHorizons(v.db.Client, true).Read(ctx)
	return err
}

// mayLack reports whether a post needs no relations: it is older than the horizon, or there is a horizon and the post
// has no timestamp.
func (v *check) mayLack(createdAt time.Time, dated bool) bool {
	return v.horizon.Kept > 0 && (!dated || time.Since(createdAt) >= v.horizon.Kept)
}

// checkExpiry checks the field expireAt of the relation of a post. A later one than necessary
// is right: the horizon was longer.
func (v *check) checkExpiry(at Violation, r relationCopy, createdAt time.Time) {
	want := schema.ExpireAt(createdAt, v.horizon.Kept)
	if want.IsZero() != r.ExpireAt.IsZero() || r.ExpireAt.Before(want) {
		v.violation(at, "expireAt is %s, but createdAt and the horizon require %s", timeText(r.ExpireAt), timeText(want))
	}
}

// timeText returns a time in the form that violations use.
func timeText(t time.Time) string {
	if t.IsZero() {
		return "missing"
	}
	return t.UTC().Format(time.RFC3339Nano)
}
