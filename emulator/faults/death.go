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

// Death is the connection of a process that is killed when the server has
// carried out one of its writes, before it hears of that. From then on nothing
// gets through, and every call ends with Unknown, which neither the client
// library nor Open repeats. It is safe for concurrent use.
type Death struct {
	at int

	mu     sync.Mutex
	writes int
	dead   bool
}

// NewDeath dies at the call with the number at, counted from 1, of those that
// write: Commit and BatchWrite. These are all the deaths there are: what a
// process leaves that dies at a read, or before a write, is what it leaves that
// dies after the write before.
func NewDeath(at int) *Death { return &Death{at: at} }

// Died says whether the write came at which it dies.
func (d *Death) Died() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead
}

// Writes is how many writes were counted, the last one of its life included.
func (d *Death) Writes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writes
}

var errKilled = status.Error(codes.Unknown, "killed")

// call says whether a call is sent, and whether its answer arrives.
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

// Interceptor is the death as a part of a client. A rollback always gets
// through: a dead process sends none and its locks time out after some twenty
// seconds, and this saves the wait.
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
	if _, answer := d.call(false); !answer { // a stream reads
		return nil, errKilled
	}
	return open(ctx, desc, cc, method, opts...)
}
