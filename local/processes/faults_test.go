//go:build long && unix

package processes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

// probe sees the calls of all workers: from how many processes they come. Once
// armed it lets one commit be applied and holds back its answer until the
// caller is gone.
type probe struct {
	callers sync.Map // by address: each process has one connection
	armed   atomic.Bool
	held    chan struct{}
}

func (p *probe) interceptor() wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if from, ok := peer.FromContext(ctx); ok {
			p.callers.Store(from.Addr.String(), true)
		}
		err := invoke(ctx, method, req, reply, cc, opts...)
		if _, ok := req.(*pb.CommitRequest); ok && err == nil && p.armed.CompareAndSwap(true, false) {
			close(p.held)
			<-ctx.Done()
			return ctx.Err()
		}
		return err
	}}
}

func (p *probe) count() (n int) {
	p.callers.Range(func(any, any) bool { n++; return true })
	return n
}

// faulty is a system with two workers, bad deliveries and a probe.
type faulty struct {
	*processes.System
	probe *probe
	pids  string // directory with a file for each worker process that was started, named by its id
}

func startFaulty(t *testing.T) *faulty {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{probe: &probe{held: make(chan struct{})}, pids: t.TempDir()}
	f.System, err = processes.Start(context.WithoutCancel(t.Context()), processes.Options{
		Project:      "demo-dev-faults",
		Functions:    schema.Config{NoOwnPosts: true, Capacity: 3},
		Workers:      2,
		Chaos:        chaos.Rates{Duplicate: 0.3, Reorder: 0.3, Delay: 50 * time.Millisecond, Drop: 0.2, Seed: 7},
		Interceptors: []wire.Interceptor{f.probe.interceptor()},
		SweepEvery:   100 * time.Millisecond,
		Command:      []string{"sh", "-c", `: > "` + f.pids + `/$$"; exec "$0" functions "$@"`, self},
	})
	if err != nil {
		t.Fatal("these tests need the Firestore emulator:", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(f.Close(), f.RemoveLogs()); err != nil {
			t.Error(err)
		}
	})
	return f
}

// started are the ids of all worker processes so far.
func (f *faulty) started(t *testing.T) (pids []int) {
	t.Helper()
	files, err := os.ReadDir(f.pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		pid, err := strconv.Atoi(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// wantRight waits until nothing is under way, and checks every invariant.
func (f *faulty) wantRight(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	wantIdle(t, f.System)
	index, err := social.Open(f.Client(), f.Config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.New(index).All(ctx, func(v verify.Violation) { t.Errorf("verify: %v", v) }, nil); err != nil {
		t.Fatal(err)
	}
}

// reaches says whether a post is in a reader's feed.
func (f *faulty) reaches(t *testing.T, post, reader string) bool {
	t.Helper()
	docs, err := f.Client().Collection("_relations").Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc).Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		if doc.Data()["postId"] == post {
			return true
		}
	}
	return false
}

// The tests share a system, in the order in which they are written.
func TestSystemUnderFaults(t *testing.T) {
	f := startFaulty(t)
	client := f.Client()
	t.Run("bad deliveries and two workers come to the right end", func(t *testing.T) {
		for i := range 8 {
			set(t, client.Doc(fmt.Sprintf("users/ann/followers/r%d", i)), map[string]any{"createdAt": firestore.ServerTimestamp})
			set(t, client.Doc(fmt.Sprintf("posts/p%d", i)), map[string]any{"userId": "ann", "createdAt": time.Now()})
		}
		if _, err := client.Doc("users/ann/followers/r3").Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.wantRight(t)
		for reader, want := range map[string]bool{"r0": true, "r3": false, "r7": true} {
			if got := f.reaches(t, "p5", reader); got != want {
				t.Errorf("post p5 is in the feed of %s: %v, want %v", reader, got, want)
			}
		}
		testkit.Until(t, "a sweep", func() bool { return f.Longest("Sweep") > 0 })
		if s := f.Stats(); s.Duplicates == 0 || s.Dropped == 0 {
			t.Errorf("no chaos: %+v", s)
		}
		if n := f.probe.count(); n != 2 {
			t.Errorf("calls came from %d processes, want from both workers", n)
		}
		if n := len(f.started(t)); n != 2 || f.Workers() != 2 || f.Kills() != 0 {
			t.Errorf("%d processes for %d workers, %d killed", n, f.Workers(), f.Kills())
		}
	})
	t.Run("workers die in the middle of a follow", func(t *testing.T) {
		f.probe.armed.Store(true)
		set(t, client.Doc("users/ann/followers/late"), map[string]any{"createdAt": firestore.ServerTimestamp})
		wantEnd(t, "the wait for a commit", f.probe.held)
		if f.reaches(t, "p5", "late") {
			t.Error("it was not in the middle")
		}
		for worker := range f.Workers() { // whichever it is
			if err := f.Kill(worker); err != nil {
				t.Error(err)
			}
		}
		if err := f.Kill(f.Workers() - 1); !errors.Is(err, processes.ErrNotUp) {
			t.Errorf("the next kill at once: %v, want ErrNotUp", err)
		}
		f.wantRight(t)
		if !f.reaches(t, "p5", "late") {
			t.Error("post p5 is not in the feed of the follower whose event was under way")
		}
		if err := f.Err(); err != nil || f.Kills() != 2 || len(f.started(t)) != 4 {
			t.Errorf("error %v, %d kills, %d processes; want none, 2, 4", err, f.Kills(), len(f.started(t)))
		}
	})
	t.Run("only workers that there are can be killed", func(t *testing.T) {
		for _, worker := range []int{-1, 2} {
			if err := f.Kill(worker); err == nil || errors.Is(err, processes.ErrNotUp) {
				t.Errorf("Kill(%d): %v", worker, err)
			}
		}
	})
	t.Run("close ends also a worker that takes another's place", func(t *testing.T) {
		testkit.Until(t, "a worker", func() bool { return f.Kill(1) == nil })
		testkit.Until(t, "its successor", func() bool { return len(f.started(t)) == 5 })
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		for _, pid := range f.started(t) {
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d is still there: %v", pid, err)
			}
		}
		if err := f.Err(); err != nil {
			t.Error(err)
		}
	})
}
