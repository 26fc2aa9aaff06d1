package files

import (
	"context"
	"math"
	"time"

	"golang.org/x/time/rate"
)

// The pace that Firestore recommends for a new collection: "a maximum of 500 operations per second", and
// then "increasing traffic by 50% every 5 minutes"
// (firebase.google.com/docs/firestore/best-practices#ramping_up_traffic, read November 2026).
const (
	firstRate  = 500 // rows a second
	rampGrowth = 1.5
	rampStep   = 5 * time.Minute
)

// ramp makes an import keep that pace. A follow is one document in each of two collections, so a row
// counts once. A nil ramp keeps no pace.
type ramp struct {
	limiter *rate.Limiter
	began   time.Time
}

func (o ImportOptions) ramp() *ramp {
	if !o.Ramp {
		return nil
	}
	return &ramp{rate.NewLimiter(firstRate, firstRate), time.Now()}
}

// wait returns when the pace allows this number of rows.
func (r *ramp) wait(ctx context.Context, rows int) error {
	for r != nil && rows > 0 {
		steps := time.Since(r.began) / rampStep
		r.limiter.SetLimit(rate.Limit(firstRate * math.Pow(rampGrowth, float64(steps))))
		some := min(rows, firstRate)
		if err := r.limiter.WaitN(ctx, some); err != nil {
			return err
		}
		rows -= some
	}
	return nil
}
