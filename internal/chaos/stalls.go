package chaos

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// stalls holds writes outside of transactions, as [wire.Faults] holds the begin
// of transactions: a process that is frozen between what it read and what it
// makes of it.
type stalls struct {
	plan    wire.FaultPlan // Stall, StallFor and Seed
	writes  atomic.Uint64
	held    atomic.Int64
	stopped chan struct{}
	stop    func()
}

func newStalls(plan wire.FaultPlan) *stalls {
	s := &stalls{plan: plan, stopped: make(chan struct{})}
	s.stop = sync.OnceFunc(func() { close(s.stopped) })
	return s
}

func (s *stalls) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if commit, ok := req.(*pb.CommitRequest); ok && commit.GetTransaction() == nil {
		n := s.writes.Add(1)
		if rand.New(rand.NewPCG(s.plan.Seed, n)).Float64() < s.plan.Stall { //nolint:gosec // has to repeat
			if err := s.hold(ctx); err != nil {
				return err
			}
		}
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

// hold waits for as long as the plan says, or until stop.
func (s *stalls) hold(ctx context.Context) error {
	select {
	case <-s.stopped:
		return nil
	default:
	}
	s.held.Add(1)
	timer := time.NewTimer(s.plan.StallFor)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.stopped:
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	return nil
}
