package chunker

import (
	"strings"
	"time"

	"google.golang.org/grpc/status"
)

// The retry time after the n-th failure in a row lies between half of
// firstRetry·2ⁿ⁻¹ and all of it, and never beyond lastRetry.
const (
	firstRetry = time.Second
	lastRetry  = 10 * time.Minute // the longest that Eventarc waits between deliveries
)

// backoff is how long to wait after the attempt-th failure in a row.
func backoff(attempt int, jitter func(time.Duration) time.Duration) time.Duration {
	ceiling := lastRetry
	if shift := attempt - 1; shift < 20 {
		ceiling = min(lastRetry, firstRetry<<max(0, shift))
	}
	return ceiling/2 + jitter(ceiling/2)
}

// atOnce is no jitter.
func atOnce(time.Duration) time.Duration { return 0 }

func failureOf(err error, now time.Time) *Failure {
	const longest = 1000 // bytes of message kept in the job document
	message := err.Error()
	message = strings.ToValidUTF8(message[:min(len(message), longest)], "")
	return &Failure{Code: status.Code(err).String(), Message: message, At: now}
}
