package importer_test

import (
	"context"
	"sync"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/importer"
	"example.com/relationindex/internal/wire"
)

// death is the connection of a process that is killed at its n-th call: before
// the call is sent, or after the server has carried it out. From then on
// nothing gets through.
type death struct {
	at    int
	after bool

	mu    sync.Mutex
	calls int
	dead  bool
}

// killed is not a code that anything retries.
var killed = status.Error(codes.Unknown, "killed")

// call says whether the call is sent, and whether its answer arrives.
func (d *death) call() (send, answer bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return false, false
	}
	d.calls++
	d.dead = d.calls == d.at
	return !d.dead || d.after, !d.dead
}

func (d *death) interceptor() wire.Interceptor {
	return wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if _, ok := req.(*pb.RollbackRequest); ok {
				// A dead process does not roll back, and its locks time out after
				// some twenty seconds. This saves the wait.
				return invoke(ctx, method, req, reply, cc, opts...)
			}
			send, answer := d.call()
			if send {
				if err := invoke(ctx, method, req, reply, cc, opts...); err != nil {
					return err
				}
			}
			if !answer {
				return killed
			}
			return nil
		},
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			if _, answer := d.call(); !answer { // reads leave nothing
				return nil, killed
			}
			return open(ctx, desc, cc, method, opts...)
		},
	}
}

// An import is killed before and after each of its calls in turn, and run
// again: the documents are as if nothing had happened.
func TestAnotherRunFinishesWhateverAKilledOneLeft(t *testing.T) {
	t.Parallel()
	text := "a x\nb x\nc x\nd x\nb y\nc y\na z\nb z\nx z\n"
	for name, before := range map[string]struct {
		do      func(s *system)
		follows int // more than the file's
	}{
		"a new graph": {do: func(*system) {}},
		"authors with posts": {do: func(s *system) {
			s.posts("x", 2)
			s.posts("y", 5) // more than goes inline
		}},
		"follows that nothing has indexed yet": {do: func(s *system) {
			s.posts("x", 2)
			for _, follower := range []string{"a", "b", "c", "d"} {
				s.follow(follower, "x")
			}
		}},
		"authors with followers and posts": {follows: 2, do: func(s *system) {
			s.posts("x", 2)
			s.posts("z", 4)
			s.direct("a x\nf x\ng z\n", 3, importer.Options{})
		}},
	} {
		for _, after := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				points := 0
				for at := 1; ; at++ {
					s := newSystem(t, config.Functions{Capacity: 2, InlineLimit: 3})
					before.do(s)
					d := &death{at: at, after: after}
					_, err := importer.Direct(t.Context(), s.index(d.interceptor()), followsOf(t, text), importer.Options{})
					if !d.dead {
						if err != nil {
							t.Fatal(err)
						}
						break // there is no at-th call
					}
					if err == nil {
						t.Fatalf("killed at call %d of %d, after it: %v, and no error", at, d.calls, after)
					}
					points++
					s.direct(text, 9, importer.Options{})
					s.wantVerified(9 + before.follows)
					if t.Failed() {
						t.Fatalf("killed at call %d, after it: %v", at, after)
					}
				}
				t.Logf("killed at %d points", points)
				if points < 20 {
					t.Errorf("only %d points were found", points)
				}
			})
		}
	}
}
