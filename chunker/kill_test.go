package chunker_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// A job is killed at each of its writes in turn, or cannot read something, and is resumed by another process. counted says
// that a page which is done twice counts the same twice: done is compared too.
func TestKillAtEveryWriteAndResume(t *testing.T) {
	t.Parallel()
	var works []testkit.Disturbed[*bench]
	for name, job := range map[string]struct {
		spec          chunker.Spec
		counted       bool
		writes, reads int
	}{
		"a delete over several hops": {chunker.Spec{ID: "j", Kind: "sweep", Collection: "items", Generation: "1"}, false, 15, 3},
		"two phases":                 {chunker.Spec{ID: "j", Kind: "visit twice", Generation: "1"}, true, 7, 3},
	} {
		tell := func(b *bench, p testkit.Process) error {
			client, err := connect(b.t.Context(), b.project, p.Interceptor)
			if err != nil {
				return err
			}
			return b.tell(b.engineOn(client), job.spec)
		}
		quiet := newBench(t)
		if err := tell(quiet, testkit.Process{}); err != nil {
			t.Fatal(err)
		}
		want := quiet.documents(job.spec.ID, job.counted)
		works = append(works, testkit.Disturbed[*bench]{
			Name: name, Prepare: newBench, Act: tell, Writes: job.writes, Reads: job.reads,
			// The job's last write may be the last call of its process.
			Recovers: true,
			Between:  func(b *bench) { b.clock.move(2 * time.Minute) }, // the dead step's lease runs out
			Check: func(b *bench) {
				if diff := cmp.Diff(want, b.documents(job.spec.ID, job.counted)); diff != "" {
					b.t.Errorf("documents (-quiet +disturbed):\n%s", diff)
				}
			},
		})
	}
	testkit.Disturb(t, works...)
}

// tell brings the events of a job, the first of which enqueues it, to an engine, until nothing is left to do or the engine's
// process has died.
func (b *bench) tell(engine *chunker.Engine, spec chunker.Spec) error {
	if err := engine.Enqueue(b.t.Context(), spec); err != nil {
		return err
	}
	for range 100 {
		if b.job(spec.ID).State.Finished() {
			return nil
		}
		if err := engine.Run(b.t.Context(), spec.ID, b.pages(2)); err != nil {
			return err
		}
		b.clock.move(2 * time.Minute)
	}
	return errors.New("the job goes on for ever")
}

// documents are the items, and what of the jobs has to be the same however
// often they were killed.
func (b *bench) documents(id string, counted bool) map[string]any {
	b.t.Helper()
	out := map[string]any{}
	docs, err := b.client.Collection("items").Documents(b.t.Context()).GetAll()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, doc := range docs {
		out[doc.Ref.ID] = doc.Data()
	}
	job := b.job(id)
	text := fmt.Sprintf("%s of %s, generation %s, after %v, error %v", job.State, job.Kind, job.Generation, job.LastDoc, job.Error)
	if counted {
		text += fmt.Sprintf(", %d done", job.Done)
		if job.Total != nil {
			text += fmt.Sprintf(" of %d", *job.Total)
		}
	}
	out[id] = text
	return out
}

// killTasks are the tasks of the stories, over the client of a process.
func (b *bench) killTasks(e *chunker.Engine, client *firestore.Client) {
	query := func(job chunker.Job) (firestore.Query, error) { return bulk.Query(client, job) }
	e.Register(bulk.Update("label", 1, query, label))
	e.Register(bulk.Delete("sweep", 1, query))
}

// label gives documents the job's label.
func label(_ context.Context, job chunker.Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error) {
	if doc.Data()["label"] == job.Args["label"] {
		return nil, nil
	}
	return []firestore.Update{{Path: "label", Value: job.Args["label"]}}, nil
}

// The answer to each commit of a job in turn is lost, and the client library
// repeats the commit by itself: that costs no attempt and no wait for a lease.
func TestLostResponseCostsNothing(t *testing.T) {
	t.Parallel()
	for lost := 1; lost <= 2; lost++ {
		b := newBench(t)
		b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
		var commits atomic.Int64
		client, err := connect(t.Context(), b.project, wire.Interceptor{
			Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
				err := invoke(ctx, method, req, reply, cc, opts...)
				if _, ok := req.(*pb.CommitRequest); ok && err == nil && commits.Add(1) == int64(lost) {
					return status.Error(codes.Unavailable, "lost")
				}
				return err
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.engineOn(client).Run(t.Context(), "j", b.plenty()); err != nil {
			t.Errorf("commit %d: %v", lost, err)
		}
		if job := b.wantState("j", chunker.Done); job.Done != items || job.Attempt != 0 || job.Hop != 1 {
			t.Errorf("commit %d: %+v", lost, job)
		}
	}
}

// The answer to a claim is lost, and before the client library repeats it another
// step has held the lease and died. Whoever claims the job then is a holder of its
// own: a holder never comes back.
func TestClaimTakenOverHasNewHolder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	var holders []string
	client, err := connect(t.Context(), b.project, wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			err := invoke(ctx, method, req, reply, cc, opts...)
			if _, ok := req.(*pb.CommitRequest); !ok || err != nil || len(holders) == 2 {
				return err
			}
			job, err := b.Get(ctx, "j")
			if err != nil {
				return err
			}
			holders = append(holders, job.Lease.Holder)
			if len(holders) == 2 {
				return nil
			}
			b.steal(ctx, "j")
			b.clock.move(2 * time.Minute)
			return status.Error(codes.Unavailable, "lost")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.engineOn(client).Run(t.Context(), "j", b.patient()); err != nil {
		t.Fatal(err)
	}
	if job := b.wantState("j", chunker.Done); job.Done != items || len(holders) != 2 || holders[0] == holders[1] {
		t.Errorf("%d documents done, the holders were %q, want two of them", job.Done, holders)
	}
}
