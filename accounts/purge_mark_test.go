//go:build long

package accounts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// The event of a purge's end may be lost: verify reports the mark, and repair deletes it. The mark of a purge that ended
// with its last page stays, and is no violation.
func TestRepairDeletesLeftPurgeMark(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	a.DeleteAccount("eve")
	testkit.Write(t, a.Client, map[string]map[string]any{
		"_purging/ada": {}, "_purging/eve": {}, "_purging/zoe": {"expireAt": time.Now().Add(-time.Minute)}, "_purging/zac": {"expireAt": time.Now().Add(time.Hour)},
		"_purging/zed": {"expireAt": "by a server"},
	})
	w := a.Worker(0)
	a.OK(w.Index.Accounts.Purge(t.Context(), "eve", "1", "")) // is under way
	repaired, err := repair.New(w.Index).Repair(t.Context(), "ada", nil, nil)
	a.OK(err)
	wantMarked(a, false)
	if repaired.After.Violations != 0 {
		t.Errorf("of ada, verify finds %v", repaired.Left)
	}
	repaired, err = repair.New(w.Index).Repair(t.Context(), "", nil, nil)
	a.OK(err)
	if n := a.Count("_purging"); n != 3 {
		t.Errorf("%d marks, want that of the purge that is under way, and those of two that have ended", n)
	}
	if got := fmt.Sprint(repaired.Left); !strings.Contains(got, "_purging/eve: no client can create this account") || strings.Contains(got, "_purging/z") {
		t.Errorf("verify finds %s", got)
	}
	a.OK(w.Finish(a))
	a.WantVerified()
}

// A purge that ends before its last page loses its mark, in each of the ways it can end: the
// event of its job deletes the mark.
func TestPurgeMarkIsDeletedWithItsJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state   string
		deleted bool
		stays   bool
	}{
		"that fails":                      {state: "failed"},
		"that an operator cancels":        {state: "canceled"},
		"whose job an operator deletes":   {state: "queued", deleted: true},
		"whose failed job somebody loses": {state: "failed", deleted: true},
		"that is canceled at its end":     {state: "canceled", stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
			a.Profile("ada", map[string]any{"displayName": "Ada"}) // a server has created it
			purge := "_functions/purge:" + a.Instance().DB.TombstoneID("ada")
			job := map[string]any{"kind": "relations.purge", "state": c.state, "args": map[string]any{"author": "ada"}}
			documents := map[string]map[string]any{purge: job, "_purging/ada": {}, "_purging/other": {}}
			if c.stays { // its last page has committed: this is no mark of a purge under way
				documents["_purging/ada"]["expireAt"] = time.Now().Add(time.Hour)
			}
			if !c.deleted {
				testkit.Write(t, a.Client, documents)
			} else {
				a.Silence()
				testkit.Write(t, a.Client, documents)
				a.Wake()
				a.Must(a.Client.Doc(purge).Delete(t.Context()))
			}
			a.Settle()
			if c.stays {
				wantEnded(a, 0)
			} else {
				wantMarked(a, false)
			}
			a.Data("_purging/other") // the mark of another purge stays
		})
	}
}

// The step that ends the mark dies at that, and a server creates the account again, as it may.
// The step is repeated: the purge has deleted everything, and ends.
func TestPurgeEndsAfterItsLastStepDied(t *testing.T) {
	t.Parallel()
	a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
	a.DeleteAccount("ada")
	var dead atomic.Bool
	killed := status.Error(codes.Unknown, "killed")
	writes := testkit.CommitOf("_purging/ada")
	unmarks := func(req any) bool {
		return writes(req) && slices.ContainsFunc(req.(*pb.CommitRequest).GetWrites(), func(w *pb.Write) bool { return w.GetUpdate().GetFields()["expireAt"] != nil })
	}
	w := a.Worker(0, wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if dead.Load() {
				return killed
			}
			err := call(ctx, method, req, reply, conn, opts...)
			if unmarks(req) {
				dead.Store(true)
				return killed
			}
			return err
		},
	})
	a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "1", ""))
	for n := 0; !dead.Load() && n < 10; n++ {
		_ = w.Run(t.Context(), a.PurgeJob().ID, chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil))
	}
	wantEnded(a, 0)
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	a.OK(a.Worker(time.Hour).Finish(a))
	if job := a.PurgeJob(); job.State != chunker.Done || job.Args != nil {
		t.Errorf("the job is %s of %v, with the error %+v", job.State, job.Args, job.Error)
	}
	wantEnded(a, -time.Hour)
}

// A failed purge may leave a mark, and a purge of an hour ago does. The next purge still writes its tombstone: a transaction
// that read the tombstone just before must commit first, or run again. It also writes its own mark, which does not run out.
func TestPurgeWritesTombstoneDespiteOldMark(t *testing.T) {
	t.Parallel()
	for name, mark := range map[string]map[string]any{"failed": {}, "ended": {"expireAt": time.Now()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.AdasApp(t, schema.Config{NoOwnPosts: true})
			a.DeleteAccount("ada")
			testkit.Write(t, a.Client, map[string]map[string]any{"_purging/ada": mark})
			w := a.Worker(0)
			a.OK(w.Index.Accounts.Purge(t.Context(), "ada", "1", ""))
			w.Step(a, a.PurgeJob().ID)
			if a.Count("_tombstones") != 1 {
				t.Error("the purge has begun without a tombstone")
			}
			wantMarked(a, true)
			a.OK(w.Finish(a))
			wantEnded(a, 0)
			a.WantGone("ada")
			a.WantVerified()
		})
	}
}
