package weather

import (
	"context"
	"math"
	"time"
)

// percentile99 is the 99th percentile of a normal distribution, in standard deviations above the mean.
const percentile99 = 2.326

// draw returns a random time of a range.
func (w *Weather) draw(r Range) time.Duration {
	if r == (Range{}) {
		return 0
	}
	w.mu.Lock()
	z := w.random.NormFloat64()
	w.mu.Unlock()
	from, to := math.Log(float64(r.From)), math.Log(float64(r.To))
	return time.Duration(math.Exp((from+to)/2 + z*(to-from)/(2*percentile99)))
}

// commit returns the latency of a request with writes. It is added before the request: meanwhile the transaction holds its
// locks, and readers do not see the writes, as in production.
func (w *Weather) commit(ctx context.Context, target string, req any) (time.Duration, error) {
	latency := w.draw(w.o.Latency.Commit)
	if w.o.Latency.Entry == 0 {
		return latency, nil
	}
	entries, err := w.guard.Limits.Entries(ctx, target, req)
	return latency + time.Duration(entries)*w.o.Latency.Entry, err
}
