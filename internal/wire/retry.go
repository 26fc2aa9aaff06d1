package wire

import (
	"context"
	"math/rand/v2"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	retries    = 8 // the last pause is 3.2 to 6.4 seconds
	firstPause = 50 * time.Millisecond
)

// retryAborted retries a commit outside a transaction that was aborted because a
// transaction locks its document. Aborted means that nothing was written. The client
// library retries transactions, but not these commits. Mobile and web clients retry both.
func retryAborted(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	commit, ok := req.(*pb.CommitRequest)
	if !ok || commit.GetTransaction() != nil {
		return err
	}
	for pause := firstPause; status.Code(err) == codes.Aborted && pause < firstPause<<retries; pause *= 2 {
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause/2 + rand.N(pause/2)): //nolint:gosec // spreads retries, guards nothing
		}
		err = invoke(ctx, method, req, reply, cc, opts...)
	}
	return err
}
