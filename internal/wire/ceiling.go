package wire

import (
	"context"
	"errors"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// ErrTooLarge is the error of a call whose answers exceed the ceiling of its context.
var ErrTooLarge = errors.New("answer too large")

// Ceiling limits the bytes of the streamed answers under a context.
type Ceiling struct {
	bytes    int64
	received atomic.Int64
}

// WithCeiling returns a context that limits streamed answers (queries, reads by
// name). Once the calls under the context have received more than bytes together,
// they fail with [ErrTooLarge]. This bounds memory where the sizes of documents are
// unknown before the read.
//
// Firestore bills the documents received until then. Only clients of
// [OpenDatabase] have a ceiling.
func WithCeiling(ctx context.Context, bytes int) (context.Context, *Ceiling) {
	c := &Ceiling{bytes: int64(bytes)}
	return context.WithValue(ctx, ceilingKey{}, c), c
}

// Received returns the bytes of messages received so far.
func (c *Ceiling) Received() int { return int(c.received.Load()) }

type ceilingKey struct{}

// endLarge applies the ceiling of a call's context.
func endLarge(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	c, ok := ctx.Value(ceilingKey{}).(*Ceiling)
	if !ok {
		return open(ctx, desc, cc, method, opts...)
	}
	ctx, cancel := context.WithCancel(ctx)
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		cancel()
		return nil, err
	}
	return &ceiledStream{s, c, cancel}, nil
}

type ceiledStream struct {
	grpc.ClientStream
	ceiling *Ceiling
	cancel  context.CancelFunc // ends the call, after its end or above the ceiling
}

func (s *ceiledStream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	if err != nil {
		s.cancel()
		return err
	}
	if m, ok := reply.(proto.Message); ok && s.ceiling.received.Add(int64(proto.Size(m))) > s.ceiling.bytes {
		s.cancel()
		return ErrTooLarge
	}
	return nil
}
