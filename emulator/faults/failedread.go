package faults

import (
	"context"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// FailedRead is the connection of a process with one failed read. The read fails with Unknown, which
// nothing retries. All other calls get through, so a caller that mistakes the failure for an empty answer
// writes wrong data. It is safe for concurrent use.
type FailedRead struct {
	at int

	mu    sync.Mutex
	reads int
}

// NewFailedRead returns a FailedRead for the read with the number at, counted from 1.
func NewFailedRead(at int) *FailedRead { return &FailedRead{at: at} }

// Failed reports whether there was a read with that number.
func (f *FailedRead) Failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reads >= f.at
}

// Interceptor returns the failure as a part of a client.
func (f *FailedRead) Interceptor() wire.Interceptor { return wire.Interceptor{Stream: f.stream} }

// stream sees every read, because the answers to gets, queries and counts are streams.
func (f *FailedRead) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	f.mu.Lock()
	f.reads++
	fails := f.reads == f.at
	f.mu.Unlock()
	if fails {
		return nil, status.Error(codes.Unknown, "the read failed")
	}
	return open(ctx, desc, cc, method, opts...)
}
