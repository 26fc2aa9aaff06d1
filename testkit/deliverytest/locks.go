package deliverytest

import (
	"context"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
)

// patience is the time without progress after which a process seems to wait for a lock.
const patience = 200 * time.Millisecond

// await returns the error from ended. It opens the gate if the world seems to wait for a lock and the
// held process has an open transaction.
func (w *world) await(ended <-chan error, locks *transactions, open func()) error {
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for before := w.meter.Counts(); ; {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			now := w.meter.Counts()
			if now == before && locks.open.Load() > 0 {
				open()
			}
			before = now
		}
	}
}

// transactions counts the open transactions of a process.
type transactions struct{ open atomic.Int64 }

func (c *transactions) interceptor() wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		switch req := req.(type) {
		case *pb.BeginTransactionRequest:
			if err == nil {
				c.open.Add(1)
			}
		case *pb.RollbackRequest:
			c.open.Add(-1)
		case *pb.CommitRequest:
			if err == nil && req.GetTransaction() != nil {
				c.open.Add(-1)
			}
		}
		return err
	}}
}
