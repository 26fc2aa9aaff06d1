package wire

import (
	"context"

	"google.golang.org/grpc/metadata"
)

// requestReason is Google Cloud's header for the reason of a call. Audit logs of data
// access show it.
const requestReason = "x-goog-request-reason"

// WithReason returns a context whose calls carry a reason, a word. Functions that no event calls send their
// name. The name distinguishes their calls from the calls of events.
func WithReason(ctx context.Context, reason string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, requestReason, reason)
}

// Reason returns the reason that WithReason gave a call; "" without one. Interceptors of
// a faults.Proxy also see it.
func Reason(ctx context.Context) string {
	out, _ := metadata.FromOutgoingContext(ctx)
	if reasons := out.Get(requestReason); len(reasons) > 0 {
		return reasons[0]
	}
	return ""
}
