package sendtest

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// lost loses the answer of the first matching commit. The commit itself succeeds.
func lost(match func(any) bool) wire.Interceptor {
	var done atomic.Bool
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		if err == nil && match(req) && !done.Swap(true) {
			return status.Error(codes.Unknown, "the answer is lost")
		}
		return err
	}}
}

// refusing rejects matching calls.
func refusing(match func(any) bool) wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if match(req) {
			return status.Error(codes.PermissionDenied, "refused")
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}
