package front_test

import (
	"context"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/relationindex/emulator/front"
	"example.com/relationindex/emulator/siteguard"
)

// A stream that the server ends, with an error, ends for a client that has more to say: a write that
// rules reject.
func TestStreamEndsForClientWhenServerEndsIt(t *testing.T) {
	t.Parallel()
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	backend := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if err := stream.RecvMsg(&wrapperspb.StringValue{}); err != nil {
			return err
		}
		if err := stream.SendMsg(wrapperspb.String("hello")); err != nil {
			return err
		}
		if err := stream.RecvMsg(&wrapperspb.StringValue{}); err != nil {
			return err
		}
		return status.Error(codes.PermissionDenied, "no")
	}))
	l := listen()
	go func() { _ = backend.Serve(l) }()
	t.Cleanup(backend.Stop)
	l2 := listen()
	f := front.Serve(l2, l.Addr().String(), siteguard.Guard{}, nil)
	t.Cleanup(func() { _ = f.Close() })
	conn, err := grpc.NewClient(l2.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/google.firestore.v1.Firestore/Write")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := stream.SendMsg(wrapperspb.String("x")); err != nil {
			t.Fatal(err)
		}
		if err = stream.RecvMsg(&wrapperspb.StringValue{}); err != nil && status.Code(err) != codes.PermissionDenied {
			t.Fatalf("the stream ended with %v", err)
		}
	}
	if err = stream.RecvMsg(&wrapperspb.StringValue{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("the stream ended with %v, want PermissionDenied", err)
	}
}
