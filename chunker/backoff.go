package chunker

import "time"

// After the n-th failure in a row, a retry waits for between half of a ceiling and the whole ceiling. The
// ceiling is firstRetry·2ⁿ⁻¹, at most lastRetry.
const (
	firstRetry = time.Second
	lastRetry  = 10 * time.Minute // Eventarc's longest pause between deliveries
)

// backoff returns the pause after the attempt-th failure in a row.
func backoff(attempt int, jitter func(time.Duration) time.Duration) time.Duration {
	ceiling := lastRetry
	if shift := attempt - 1; shift < 20 {
		ceiling = min(lastRetry, firstRetry<<max(0, shift))
	}
	return ceiling/2 + jitter(ceiling/2)
}

// atOnce adds no jitter.
func atOnce(time.Duration) time.Duration { return 0 }
