package functions_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/runtime/wire"
)

// gate holds the first call of the functions that matches, at the wire, until
// it is opened.
type gate struct {
	t       testing.TB
	match   func(req any) bool
	armed   atomic.Bool
	held    atomic.Bool
	reached chan struct{}
	opened  chan struct{}
}

func newGate(t testing.TB, match func(req any) bool) *gate {
	g := unarmedGate(t, match)
	g.armed.Store(true)
	return g
}

// unarmedGate lets everything pass until it is armed.
func unarmedGate(t testing.TB, match func(req any) bool) *gate {
	g := &gate{t: t, match: match, reached: make(chan struct{}), opened: make(chan struct{})}
	t.Cleanup(g.open)
	return g
}

// await returns when a call is held.
func (g *gate) await() {
	g.t.Helper()
	select {
	case <-g.reached:
	case <-time.After(time.Minute):
		g.t.Fatal("no call reached the gate")
	}
}

// open lets the call go on. It may be called twice.
func (g *gate) open() {
	select {
	case <-g.opened:
	default:
		close(g.opened)
	}
}

func (g *gate) hold(ctx context.Context, req any) {
	if !g.armed.Load() || !g.match(req) {
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

func (g *gate) interceptor() wire.Interceptor {
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

type gatedStream struct {
	grpc.ClientStream
	gate *gate
	ctx  context.Context
}

func (s *gatedStream) SendMsg(req any) error {
	s.gate.hold(s.ctx, req)
	return s.ClientStream.SendMsg(req)
}

// commitOf matches the commit that writes a document below prefix.
func commitOf(prefix string) func(any) bool {
	return func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		if !ok {
			return false
		}
		for _, w := range commit.GetWrites() {
			if name := w.GetUpdate().GetName() + w.GetDelete(); strings.Contains(name, "/documents/"+prefix) {
				return true
			}
		}
		return false
	}
}

// readOf matches the read, by name and in a transaction, of a document.
func readOf(document string) func(any) bool {
	return func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		if !ok || get.GetTransaction() == nil {
			return false
		}
		for _, name := range get.GetDocuments() {
			if strings.HasSuffix(name, "/documents/"+document) {
				return true
			}
		}
		return false
	}
}

// queryOf matches a query over a collection.
func queryOf(collection string) func(any) bool {
	return func(req any) bool {
		query, ok := req.(*pb.RunQueryRequest)
		return ok && query.GetStructuredQuery().GetFrom()[0].GetCollectionId() == collection
	}
}

// deleteOf matches the commit that deletes a document.
func deleteOf(document string) func(any) bool {
	return func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && len(commit.GetWrites()) > 0 && strings.HasSuffix(commit.GetWrites()[0].GetDelete(), "/documents/"+document)
	}
}
