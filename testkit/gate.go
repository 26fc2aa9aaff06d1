package testkit

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
)

// Gate holds the first matching call of a process, at the wire, until the gate is opened.
type Gate struct {
	// Armed is false while the gate lets every call pass.
	Armed atomic.Bool

	t       testing.TB
	match   func(req any) bool
	held    atomic.Bool
	reached chan struct{}
	opened  chan struct{}
	open    func()
}

// NewGate returns an armed gate, which opens when the test ends. Several goroutines may call match at
// once.
func NewGate(t testing.TB, match func(req any) bool) *Gate {
	g := &Gate{t: t, match: match, reached: make(chan struct{}), opened: make(chan struct{})}
	g.open = sync.OnceFunc(func() { close(g.opened) })
	g.Armed.Store(true)
	t.Cleanup(g.open)
	return g
}

// Reached returns a channel that is closed when a call is held.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Await waits until a call is held, for a minute at most.
func (g *Gate) Await() {
	g.t.Helper()
	select {
	case <-g.reached:
	case <-time.After(time.Minute):
		g.t.Fatal("no call reached the gate")
	}
}

// Open lets the call go on. It may be called twice.
func (g *Gate) Open() { g.open() }

// Interceptor returns the gate as an interceptor for a client.
func (g *Gate) Interceptor() wire.Interceptor {
	return wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			g.hold(ctx, req)
			return invoke(ctx, method, req, reply, cc, opts...)
		},
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			s, err := open(ctx, desc, cc, method, opts...)
			return &gatedStream{s, g, ctx}, err
		},
	}
}

func (g *Gate) hold(ctx context.Context, req any) {
	if !g.Armed.Load() || !g.match(req) {
		return
	}
	if g.held.Swap(true) {
		return // only the first is held: the test may wait for another
	}
	close(g.reached)
	select {
	case <-g.opened:
	case <-ctx.Done():
	}
}

type gatedStream struct {
	grpc.ClientStream
	gate *Gate
	ctx  context.Context
}

func (s *gatedStream) SendMsg(req any) error {
	s.gate.hold(s.ctx, req)
	return s.ClientStream.SendMsg(req)
}
