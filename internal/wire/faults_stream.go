package wire

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
)

// stream fails reads: when they are opened, or after the first message of the
// answer. Listen and Write are conversations, and are left alone.
func (f *Faults) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if desc.ClientStreams {
		return open(ctx, desc, cc, method, opts...)
	}
	fails, stalls := f.fate(method, streamFaults)
	if fails.code != codes.OK && !fails.after {
		f.before.Add(1)
		return nil, fails.err()
	}
	ctx, cancel := context.WithCancel(ctx)
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		cancel()
		return nil, err
	}
	return &faultyStream{ClientStream: s, faults: f, fails: fails, stalls: stalls, cancel: cancel}, nil
}

type faultyStream struct {
	grpc.ClientStream
	faults *Faults
	fails  fault // after the first message
	stalls bool
	begun  bool               // the first message has come
	cancel context.CancelFunc // of the call; or the server would go on answering
}

func (s *faultyStream) SendMsg(req any) error {
	if s.stalls && holdable(req) {
		if err := s.faults.hold(s.Context()); err != nil {
			return err
		}
	}
	return s.ClientStream.SendMsg(req)
}

func (s *faultyStream) RecvMsg(reply any) error {
	if s.begun && s.fails.code != codes.OK {
		s.faults.after.Add(1)
		s.cancel()
		err := s.fails.err()
		s.fails = fault{} // once
		return err
	}
	err := s.ClientStream.RecvMsg(reply)
	if err != nil {
		s.cancel()
		return err
	}
	s.begun = true
	return nil
}
