package testkit

import (
	"context"

	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
)

// SeeRequests calls see with each read that is sent.
func SeeRequests(see func(req any)) wire.Interceptor { return SeeMessages(see, func(any) {}) }

// SeeMessages calls send with each read that is sent, and got with each answer.
func SeeMessages(send, got func(m any)) wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return seenStream{s, send, got}, err
	}}
}

type seenStream struct {
	grpc.ClientStream
	send, got func(m any)
}

func (s seenStream) SendMsg(req any) error {
	s.send(req)
	return s.ClientStream.SendMsg(req)
}

func (s seenStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err == nil {
		s.got(m)
	}
	return err
}
