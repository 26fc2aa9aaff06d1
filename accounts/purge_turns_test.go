package accounts_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// However many accounts are deleted at once, an instance purges [schema.OwnerTurns] of them at once, and in the end all.
func TestPurgesShareTurns(t *testing.T) {
	t.Parallel()
	const deleted = 20
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
	var begun, running, highest atomic.Int64
	closed := make(chan struct{})
	open := sync.OnceFunc(func() { close(closed) })
	t.Cleanup(open)
	x := a.Instance(wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if c, ok := req.(*pb.CommitRequest); ok && len(c.GetWrites()) > 0 && strings.Contains(c.String(), "/_tombstones/") { // a purge begins
			begun.Add(1)
			n := running.Add(1)
			for at := highest.Load(); n > at && !highest.CompareAndSwap(at, n); at = highest.Load() {
			}
			defer running.Add(-1)
			<-closed
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}})
	var returned atomic.Int64
	var group sync.WaitGroup
	for n := range deleted {
		u := fmt.Sprint("u", n)
		a.OK(x.Accounts.Purge(t.Context(), u, "1", ""))
		group.Go(func() {
			defer returned.Add(1)
			budget := chunker.NewBudget(t.Context(), time.Now(), 5*time.Minute, 0, nil)
			testkit.NoError(t, x.Engine.Run(t.Context(), schema.PurgeJobID(x.DB.TombstoneID(u)), budget))
		})
	}
	testkit.Until(t, "each purge begins, or waits for its turn", func() bool { return begun.Load()+returned.Load() == deleted })
	if n := begun.Load(); n != schema.OwnerTurns {
		t.Errorf("%d purges begin at once, want %d", n, schema.OwnerTurns)
	}
	open()
	group.Wait()
	if n := highest.Load(); n != schema.OwnerTurns {
		t.Errorf("%d purges at once, want %d", n, schema.OwnerTurns)
	}
	jobs, err := x.Engine.Unfinished(t.Context(), deleted)
	if a.OK(err); len(jobs) > 0 || a.Count("_tombstones") != deleted {
		t.Errorf("%d purges are left, and %d have begun", len(jobs), a.Count("_tombstones"))
	}
}
