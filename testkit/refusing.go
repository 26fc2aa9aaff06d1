package testkit

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// Refusing rejects the matching calls with InvalidArgument, as Firestore rejects a write that can
// never succeed.
func Refusing(match func(req any) bool) wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if match(req) {
			return status.Error(codes.InvalidArgument, "too many index entries for entity")
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}
