package audit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// tellIndex is the job that has failed to mend the author's first index document.
var tellIndex = chunker.Spec{
	ID: "index:author:00001", Kind: schema.KindIndex, Owner: "o", Generation: schema.Damage + "1",
	Args: map[string]string{schema.ArgAuthor: "author", schema.ArgIndex: "00001"},
}

// A repair that finds no damage deletes the damage jobs that it listed before, unless they have changed. Jobs that
// functions write meanwhile are left to the next repair.
func TestRepairKeepsDamageJobsChangedMeanwhile(t *testing.T) {
	t.Parallel()
	endOfVerify := func(seen func()) wire.Interceptor {
		marks := 0 // the first query of them is not a verify's
		return testkit.SeeRequests(func(req any) {
			if query, ok := req.(*pb.RunQueryRequest); ok && query.GetStructuredQuery().GetFrom()[0].GetCollectionId() == "_purging" {
				if marks++; marks == 2 {
					seen()
				}
			}
		})
	}
	deletion := func(seen func()) wire.Interceptor {
		var once sync.Once
		return testkit.Answering(func(req any) error {
			if testkit.DeleteOf("_functions/" + tellIndex.ID)(req) {
				once.Do(seen)
			}
			return nil
		})
	}
	for name, c := range map[string]struct {
		when      func(func()) wire.Interceptor
		meanwhile func(*chunker.Engine) error
		stays     string
	}{
		"it is queued again": {deletion, func(e *chunker.Engine) error {
			again := tellIndex
			again.Generation = "2"
			return e.Enqueue(t.Context(), again)
		}, tellIndex.ID},
		"somebody leaves": {endOfVerify, func(e *chunker.Engine) error {
			noted, err := e.Note(t.Context(), tellIndex.ID, tellIndex.Generation, schema.ArgLeaving, "r1")
			if !noted {
				return errors.New("not noted")
			}
			return err
		}, tellIndex.ID},
		"other damage is told": {endOfVerify, func(e *chunker.Engine) error {
			return e.EnqueueFailed(t.Context(), chunker.Spec{
				ID: schema.DamageJobID("author", "x"), Kind: schema.KindDamage, Owner: tellIndex.Owner, Args: map[string]string{schema.ArgAuthor: "author"},
			}, errors.New("damaged"))
		}, schema.DamageJobID("author", "x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.SoundApp(t)
			other := a.Instance().Engine
			a.OK(other.EnqueueFailed(t.Context(), tellIndex, errors.New("damaged")))
			_, err := repair.New(a.Instance(c.when(func() { a.OK(c.meanwhile(other)) }))).Repair(t.Context(), "", nil, nil)
			a.OK(err)
			if _, err := other.Get(t.Context(), c.stays); err != nil {
				t.Errorf("the job is lost: %v", err)
			}
			if c.stays != tellIndex.ID {
				if _, err := other.Get(t.Context(), tellIndex.ID); !errors.Is(err, chunker.ErrNotFound) {
					t.Errorf("the job that the repair has listed: %v, want it deleted", err)
				}
			}
			if name == "it is queued again" {
				return
			}
			_, err = repair.New(a.Instance()).Repair(t.Context(), "", nil, nil)
			a.OK(err)
			if n := a.Count("_functions"); n > 0 {
				t.Errorf("the next repair leaves %d jobs", n)
			}
		})
	}
}

// A leaver noted in a job after a repair began leaves before the repair deletes the job.
func TestLeaverNotedDuringRepairLeaves(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	other := a.Instance().Engine
	a.OK(other.EnqueueFailed(t.Context(), tellIndex, errors.New("damaged")))
	// A stray edge: a check of one author does not find it.
	a.Must(a.Client.Doc("users/zoe/following/author").Set(t.Context(), map[string]any{"indexId": "00001"}))
	a.Must(a.Client.Doc("users/r1/following/author").Delete(t.Context())) // so that there is a second round
	var once sync.Once
	_, err := repair.New(a.Instance(testkit.SeeRequests(func(req any) {
		if get, ok := req.(*pb.BatchGetDocumentsRequest); ok && get.GetTransaction() != nil || ok && get.GetNewTransaction() != nil { // the first round repairs
			once.Do(func() {
				if noted, err := other.Note(t.Context(), tellIndex.ID, tellIndex.Generation, schema.ArgLeaving, "zoe"); err != nil || !noted {
					t.Errorf("noted: %v, %v", noted, err)
				}
			})
		}
	}))).Repair(t.Context(), "author", nil, nil)
	a.OK(err)
	_, err = other.Get(t.Context(), tellIndex.ID)
	edge, _ := a.Client.Doc("users/zoe/following/author").Get(t.Context())
	if !errors.Is(err, chunker.ErrNotFound) || edge.Exists() {
		t.Errorf("the job: %v, want it deleted; zoe's edge is there: %v", err, edge.Exists())
	}
}

// A repair of the authors in damage jobs does not read all these jobs for each author.
func TestRepairOfManyDamagedAuthorsReadsFewJobs(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	const authors, each = 10, 3
	for u := range authors {
		for n := range each {
			author := fmt.Sprintf("u%d", u)
			a.OK(a.Instance().Engine.EnqueueFailed(t.Context(), chunker.Spec{
				ID: schema.DamageJobID(author, fmt.Sprint(n)), Kind: schema.KindDamage, Owner: "o", Args: map[string]string{schema.ArgAuthor: author},
			}, errors.New("damaged")))
		}
	}
	var read atomic.Int64
	_, err := repair.New(a.Instance(results(func(name string) {
		if strings.Contains(name, "/_functions/") {
			read.Add(1)
		}
	}))).RepairDamaged(t.Context(), nil, nil)
	a.OK(err)
	if n := read.Load(); n > 2*authors*each {
		t.Errorf("%d jobs are read, want at most two reads of each of %d", n, authors*each)
	}
	if n := a.Count("_functions"); n > 0 {
		t.Errorf("%d jobs are left", n)
	}
}

// results is a connection that shows see each document that a query returns.
func results(see func(name string)) wire.Interceptor {
	return testkit.SeeMessages(func(any) {}, func(m any) {
		if result, ok := m.(*pb.RunQueryResponse); ok && result.GetDocument() != nil {
			see(result.GetDocument().GetName())
		}
	})
}

// Changed followers make a new version: a process with the old ones detects the change.
func TestRepairRewriteMakesNewVersion(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	const document = "users/author/followers_index/00001"
	version, _ := a.Data(document)["version"].(int64)
	a.Must(a.Client.Doc(document).Update(t.Context(), []firestore.Update{{Path: "followers", Value: []string{"r1", "r2", "r2"}}}))
	a.Repair("")
	want := map[string]any{"followers": []any{"r1", "r2"}, "count": int64(2), "sizeBytes": int64(6), "version": version + 1, "changes": []any{}, "backfilled": true}
	got := a.Data(document)
	if rewritten, _ := got["rewritten"].(int64); rewritten == 0 {
		t.Error("it does not say when it was rewritten")
	}
	delete(got, "rewritten")
	testkit.Same(t, "it", want, got)
}

func TestRepairResumesAfterCancellation(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	a.Must(a.Client.Doc("_relations/p1_00001").Delete(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := repair.New(a.Instance()).Repair(ctx, "", func(verify.Violation) { cancel() }, nil)
	if err == nil {
		t.Error("it says nothing")
	}
	a.Repair("")
	a.WantSound()
}
