package wire

import (
	"context"
	"errors"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// ErrTooLarge is the error of a call whose answer is larger than the ceiling
// of its context.
var ErrTooLarge = errors.New("answer too large")

// Ceiling is the most bytes that the streamed answers under a context may have.
type Ceiling struct {
	bytes    int64
	received atomic.Int64
}

// WithCeiling makes calls under ctx that stream their answers (queries, reads by
// name) fail with [ErrTooLarge] as soon as they have received more than bytes
// altogether: memory is bounded where the sizes of documents are not known
// before they are read. What was received by then is billed. A client that was
// not opened by Open has no ceiling.
func WithCeiling(ctx context.Context, bytes int) (context.Context, *Ceiling) {
	c := &Ceiling{bytes: int64(bytes)}
	return context.WithValue(ctx, ceilingKey{}, c), c
}

// Received is how many bytes of messages have come so far.
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
	cancel  context.CancelFunc // of the call, which ends when it has ended or has received too much
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
