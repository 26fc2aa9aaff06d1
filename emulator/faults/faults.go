// Package faults makes calls to Firestore fail as they do in production: processes die
// between two calls, answers are lost, transactions are held. A
// proxy does the same to the clients of other processes.
package faults

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// Plan decides which calls fail, as shares of 0 to 1. With the zero value,
// no call fails.
type Plan struct {
	Rate     float64       // of calls that fail; rollbacks never do
	Stall    float64       // of transactions that are held at their begin, and of commits outside of transactions
	StallFor time.Duration // how long; a call that is held for a minute or more fails at the client
	Seed     uint64        // chooses the calls: with the same seed, the n-th call of a method meets the same fate
}

// Faults injects errors into the calls that it intercepts, like a bad network, a
// restarting server and a contended document. It is safe for
// concurrent use. The client library (v1.29.2) handles the errors of each call as follows:
//
//   - Commit: it retries Unavailable by itself, also when the first try was
//     applied; see rerunClosed. RunTransaction runs again on Aborted, and returns
//     other errors; before either it rolls back, which frees the locks. Outside of
//     a transaction Open retries Aborted.
//   - BeginTransaction: it retries Unavailable and DeadlineExceeded. A
//     transaction whose answer is lost has locked nothing.
//   - BatchWrite: it retries Unavailable and Aborted. After DeadlineExceeded
//     each write of the batch has that error.
//   - reads: it retries Unavailable and DeadlineExceeded when they are opened.
//     Once the answer has begun, it retries reads by name outside of
//     transactions, and no query.
//
// A Rollback never fails: without it the emulator keeps the transaction's locks
// for some twenty seconds.
type Faults struct {
	plan                   Plan
	before, after, stalled atomic.Int64
	stopped                chan struct{}
	stop                   func()
	paused                 atomic.Bool

	mu    sync.Mutex
	calls map[string]uint64 // by method
}

// New returns Faults that inject by the plan until Stop.
func New(p Plan) *Faults {
	f := &Faults{plan: p, calls: map[string]uint64{}, stopped: make(chan struct{})}
	f.stop = sync.OnceFunc(func() { close(f.stopped) })
	return f
}

// Stop ends the faults. Held calls go on, and nothing is injected from now on. You may call
// Stop again.
func (f *Faults) Stop() { f.stop() }

// Pause keeps faults from being injected until it is called with false. Calls that are held stay held.
func (f *Faults) Pause(pause bool) { f.paused.Store(pause) }

// Counts has the numbers of injected faults.
type Counts struct {
	Before  int64 `json:"before"`  // calls that failed and never reached the server
	After   int64 `json:"after"`   // calls that failed although the server had carried them out, or had begun to answer
	Stalled int64 `json:"stalled"` // calls that were held, and then sent
}

// Total returns the sum of the counts.
func (c Counts) Total() int64 { return c.Before + c.After + c.Stalled }

func (c Counts) String() string {
	return fmt.Sprintf("%d faults before the call, %d after it, %d stalls", c.Before, c.After, c.Stalled)
}

// Counts returns the numbers of faults so far.
func (f *Faults) Counts() Counts {
	return Counts{Before: f.before.Load(), After: f.after.Load(), Stalled: f.stalled.Load()}
}

// Interceptor returns the faults as a part of a client. Interceptors behind it see
// the calls that reach the server. Interceptors before it see the errors that the client gets.
func (f *Faults) Interceptor() wire.Interceptor {
	return wire.Interceptor{Unary: f.unary, Stream: f.stream}
}

// fault is the way in which a call fails.
type fault struct {
	code  codes.Code // OK: the call does not fail
	after bool       // the server has carried the call out; false: the call never got there
}

func (t fault) err() error { return status.Error(t.code, "injected fault") }

// Aborted promises that nothing was applied, so it is never an error after the call.
var (
	unaryFaults = []fault{
		{codes.Aborted, false}, {codes.Unavailable, false}, {codes.Unavailable, true},
		{codes.DeadlineExceeded, false}, {codes.DeadlineExceeded, true},
	}
	streamFaults = unaryFaults[1:]
)

// fate decides about the next call of a method: how it fails, and whether it is held
// if it is holdable.
func (f *Faults) fate(method string, kinds []fault) (fails fault, stalls bool) {
	select {
	case <-f.stopped:
		return fault{}, false
	default:
	}
	if f.paused.Load() {
		return fault{}, false
	}
	f.mu.Lock()
	n := f.calls[method]
	f.calls[method]++
	f.mu.Unlock()
	h := fnv.New64a()
	_, _ = io.WriteString(h, method)                          // never fails
	random := rand.New(rand.NewPCG(f.plan.Seed, h.Sum64()+n)) //nolint:gosec // is to be repeatable
	hit, kind := random.Float64() < f.plan.Rate, kinds[random.IntN(len(kinds))]
	if hit {
		fails = kind
	}
	return fails, random.Float64() < f.plan.Stall
}

// holdable reports whether a call may be held. The begin of a transaction may:
// nothing is locked yet, and a step outlives its lease. A write outside of a transaction may:
// then a process seems frozen between a read and the write that follows from it.
func holdable(req any) bool {
	switch r := req.(type) {
	case *pb.BeginTransactionRequest:
		return true
	case *pb.CommitRequest:
		return r.GetTransaction() == nil
	case *pb.BatchGetDocumentsRequest:
		return r.GetNewTransaction() != nil
	default:
		return false
	}
}

// hold delays a call before it is sent.
func (f *Faults) hold(ctx context.Context) error {
	f.stalled.Add(1)
	timer := time.NewTimer(f.plan.StallFor)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.stopped:
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	return nil
}

func (f *Faults) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if _, ok := req.(*pb.RollbackRequest); ok {
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	fails, stalls := f.fate(method, unaryFaults)
	if stalls && holdable(req) {
		if err := f.hold(ctx); err != nil {
			return err
		}
	}
	if fails.code != codes.OK && !fails.after {
		f.before.Add(1)
		return fails.err()
	}
	err := invoke(ctx, method, req, reply, cc, opts...)
	if err == nil && fails.code != codes.OK {
		f.after.Add(1)
		return fails.err()
	}
	return err
}

// stream fails reads, either when they are opened or after the first message of the
// answer. It leaves Listen and Write alone, because both sides of them send messages.
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
	begun  bool               // the first message has arrived
	cancel context.CancelFunc // of the call; without a cancellation the server would go on answering
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
