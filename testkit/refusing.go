package testkit

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// Answering calls answer before each unary call. The call fails with the error of answer; nil: it goes on.
func Answering(answer func(req any) error) wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if err := answer(req); err != nil {
			return err
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}

// Failing fails the matching calls with a code.
func Failing(code codes.Code, match func(req any) bool) wire.Interceptor {
	return Answering(func(req any) error {
		if match(req) {
			return status.Error(code, "of the test")
		}
		return nil
	})
}

// Refusing rejects the matching calls with InvalidArgument, as Firestore rejects a write that can
// never succeed.
func Refusing(match func(req any) bool) wire.Interceptor {
	return Failing(codes.InvalidArgument, match)
}
