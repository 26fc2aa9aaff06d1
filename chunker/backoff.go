package chunker

import (
	"strings"
	"time"

	"google.golang.org/grpc/status"
)

// After the n-th failure in a row, a retry waits between half of a ceiling and the
// whole. The ceiling is firstRetry·2ⁿ⁻¹, at most lastRetry.
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

func failureOf(err error, now time.Time) *Failure {
	const longest = 1000 // bytes of the message in the job document
	message := err.Error()
	message = strings.ToValidUTF8(message[:min(len(message), longest)], "")
	return &Failure{Code: status.Code(err).String(), Message: message, At: now}
}
