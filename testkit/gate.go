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

// Gate holds the first call of a process that matches, at the wire, until it is opened.
type Gate struct {
	// Armed is false while every call passes.
	Armed atomic.Bool

	t       testing.TB
	match   func(req any) bool
	held    atomic.Bool
	reached chan struct{}
	opened  chan struct{}
	open    func()
}

// NewGate returns an armed gate, which opens when the test ends. match may be called by
// several goroutines.
func NewGate(t testing.TB, match func(req any) bool) *Gate {
	g := &Gate{t: t, match: match, reached: make(chan struct{}), opened: make(chan struct{})}
	g.open = sync.OnceFunc(func() { close(g.opened) })
	g.Armed.Store(true)
	t.Cleanup(g.open)
	return g
}

// Reached is closed when a call is held.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Await returns when a call is held.
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

// Interceptor returns the gate as a part of a client.
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
		return // the first alone is held: another may be what the test waits for
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
