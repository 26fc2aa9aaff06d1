package upgrade

import (
	"context"
	"maps"
	"path"
	"strings"
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// stall stops every job half-way, between the functions and the emulator. A job's
// steps go through until it is claimed for the claims-th time: that one is at the
// worst moment, with its page done, when the transaction that would save it does
// not get to read it. Lanes stop before that claim: those of one process take
// turns to save. Nothing that is held has a lock. Parents have no steps.
type stall struct {
	claims int

	mu     sync.Mutex
	on     bool
	gate   chan struct{}   // closed when held calls are to end
	seen   map[string]int  // claims, by job
	halted map[string]bool // jobs that stand still
}

func newStall(claims int) *stall { return &stall{claims: claims, gate: make(chan struct{})} }

// start holds from now on.
func (s *stall) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.gate, s.seen, s.halted = true, make(chan struct{}), map[string]int{}, map[string]bool{}
}

// end ends all held calls, whose callers are dead by now, and holds no more.
func (s *stall) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = false
	close(s.gate)
}

// jobs are the jobs that stand still.
func (s *stall) jobs() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.halted)
}

// claimed counts a claim, and reports whether it goes through.
func (s *stall) claimed(job string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on {
		return true
	}
	s.seen[job]++
	if strings.Contains(job, "~") && s.seen[job] == s.claims { // a lane
		s.halted[job] = true
	}
	return !s.halted[job]
}

// saved reports whether a transaction may read the job.
func (s *stall) saved(job string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on || s.seen[job] < s.claims {
		return true
	}
	s.halted[job] = true
	return false
}

// hold returns when the call is to end, as an error.
func (s *stall) hold(ctx context.Context) error {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	select {
	case <-gate:
		return status.Error(codes.Unavailable, "the system is replaced")
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

func (s *stall) interceptor() wire.Interceptor {
	return wire.Interceptor{Unary: s.unary, Stream: s.stream}
}

// unary sees the claims: writes of jobs outside a transaction.
func (s *stall) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if commit, ok := req.(*pb.CommitRequest); ok && commit.GetTransaction() == nil {
		for _, w := range commit.GetWrites() {
			running := w.GetUpdate().GetFields()["state"].GetStringValue() == "running"
			if job, ok := jobOf(w.GetUpdate().GetName()); ok && running && !s.claimed(job) {
				return s.hold(ctx)
			}
		}
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

func (s *stall) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	to, err := open(ctx, desc, cc, method, opts...)
	return reads{to, s}, err
}

// reads sees what transactions read.
type reads struct {
	grpc.ClientStream
	s *stall
}

func (r reads) SendMsg(m any) error {
	if get, ok := m.(*pb.BatchGetDocumentsRequest); ok && (get.GetTransaction() != nil || get.GetNewTransaction() != nil) {
		for _, name := range get.GetDocuments() {
			if job, ok := jobOf(name); ok && !r.s.saved(job) {
				return r.s.hold(r.Context())
			}
		}
	}
	return r.ClientStream.SendMsg(m)
}

// jobOf is the id of a job by the name of its document.
func jobOf(name string) (string, bool) {
	return path.Base(name), strings.HasSuffix(path.Dir(name), "/documents/_functions")
}
