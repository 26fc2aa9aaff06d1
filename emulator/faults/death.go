package faults

import (
	"context"
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// Death is the connection of a process that is killed during a write: after the server has
// carried out the write, and before the process gets the answer. From then on no call reaches
// the server, and every call ends with Unknown. Neither the client library nor Open retries
// that. Death is safe for concurrent use.
type Death struct {
	at int

	mu     sync.Mutex
	writes int
	dead   bool
}

// NewDeath returns a Death at the call with the number at, counted from 1, of Commit and
// BatchWrite. Other deaths differ in nothing: a process that dies at a read, or before a write,
// leaves the same documents as one that dies after the write before.
func NewDeath(at int) *Death { return &Death{at: at} }

// Died reports whether the process has died.
func (d *Death) Died() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead
}

// Writes returns the number of writes, including the one at which the process died.
func (d *Death) Writes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writes
}

var errKilled = status.Error(codes.Unknown, "killed")

// call reports whether a call is sent, and whether its answer arrives.
func (d *Death) call(writes bool) (send, answer bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return false, false
	}
	if writes {
		d.writes++
		d.dead = d.writes == d.at
	}
	return true, !d.dead
}

// Interceptor returns the death as a part of a client. A rollback always reaches the server. A
// dead process sends none, and its locks time out after some twenty seconds; the rollback
// saves this wait.
func (d *Death) Interceptor() wire.Interceptor {
	return wire.Interceptor{Unary: d.unary, Stream: d.stream}
}

func (d *Death) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	writes := false
	switch req.(type) {
	case *pb.RollbackRequest:
		return invoke(ctx, method, req, reply, cc, opts...)
	case *pb.CommitRequest, *pb.BatchWriteRequest:
		writes = true
	}
	send, answer := d.call(writes)
	var err error
	if send {
		err = invoke(ctx, method, req, reply, cc, opts...)
	}
	if !answer {
		return errKilled
	}
	return err
}

func (d *Death) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if _, answer := d.call(false); !answer { // streams are reads
		return nil, errKilled
	}
	return open(ctx, desc, cc, method, opts...)
}
