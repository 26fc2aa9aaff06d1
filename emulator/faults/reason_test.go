package faults_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// The reason of a call reaches interceptors in the client, and those of a proxy.
func TestReasonReachesInterceptorsAndProxy(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	add := func(reason string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, reason)
	}
	note := wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			add(wire.Reason(ctx))
			return invoke(ctx, method, req, reply, cc, opts...)
		},
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			add(wire.Reason(ctx))
			return open(ctx, desc, cc, method, opts...)
		},
	}
	c := testkit.OpenAt(t, serve(t, note).Host(), note)
	for _, ctx := range []context.Context{t.Context(), wire.WithReason(t.Context(), "Sweep")} {
		if _, err := c.Doc("a/b").Set(ctx, map[string]any{"v": 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Doc("a/b").Get(ctx); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"", "", "", "", "Sweep", "Sweep", "Sweep", "Sweep"} // a write and a read, at both
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}
