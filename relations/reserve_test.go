package relations_test

import (
	"context"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The last write of a step is made when the step's time is over. It must fit the time that
// the step leaves of the function's timeout.
func TestLastWriteOfStepFitsItsReserve(t *testing.T) {
	t.Parallel()
	const reserve = triggers.JobTimeout - schema.MaxStep
	var mu sync.Mutex
	var longest time.Duration
	ends := 0
	watch := wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if commit, ok := req.(*pb.CommitRequest); ok {
			for _, w := range commit.GetWrites() {
				if w.GetUpdate().GetFields()["state"].GetStringValue() == "done" {
					deadline, _ := ctx.Deadline()
					mu.Lock()
					longest, ends = max(longest, time.Until(deadline)), ends+1
					mu.Unlock()
				}
			}
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 1, Range: 2}, watch)
	a.Followed("author", 3)
	a.Post("p", "author", stories.Day)
	a.Settle()
	a.WantRanges("p", 2, 3)
	if longest > reserve-time.Second || ends == 0 {
		t.Errorf("it may take %v, a step leaves it %v (%d steps ended)", longest, reserve, ends)
	}
}
