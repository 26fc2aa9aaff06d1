package wire

import (
	"context"

	"google.golang.org/grpc/metadata"
)

// requestReason is Google Cloud's header for why a call is made. Audit logs of data access show it.
const requestReason = "x-goog-request-reason"

// WithReason gives calls under ctx a reason, a word. Functions that no event
// calls say their name, so that their calls can be told from those of events.
func WithReason(ctx context.Context, reason string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, requestReason, reason)
}

// Reason is what an interceptor's call was given by WithReason, also by a
// client of the Proxy that it is in; "" without.
func Reason(ctx context.Context) string {
	out, _ := metadata.FromOutgoingContext(ctx)
	if reasons := out.Get(requestReason); len(reasons) > 0 {
		return reasons[0]
	}
	return ""
}
