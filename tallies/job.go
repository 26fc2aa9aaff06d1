package tallies

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

const (
	// mostReads is the most reads of a count in a handler. A job counts more.
	mostReads = 10

	// readsAThousand is the number of documents or index entries that an aggregation bills as one read.
	readsAThousand = 1000

	// jobPace is the shortest time between the beginnings of two jobs of a subject.
	jobPace = time.Minute
)

// large reports whether a job must count the subject, by the numbers in the document.
func (x *Tallies) large(s Subject, now state) bool {
	field := s.Number
	if field == "" {
		field = schema.FieldCount
	}
	n, _ := now.says[field].(int64)
	if s.Number == followersOf { // index documents are counted
		n /= int64(x.db.Config.Capacity)
	}
	return n > mostReads*readsAThousand
}

// leave leaves a subject to its job, which begins in a minute. Until then, each event finds that job, and
// costs one read. A later event, also while the job runs, makes the job run again, at least a minute after it
// began.
//
// A crash before the job is stored leaves the event.
func (x *Tallies) leave(ctx context.Context, s Subject) error {
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: s.jobID(), Kind: schema.KindTally, Owner: schema.OwnerOf(s.Of), Args: s.args(), Private: true,
		Generation: rand.Text(), // each event requires a count of its own, unless one is about to begin
		At:         x.now().Add(jobPace),
	})
}

// Task returns the task of the jobs that count.
func (x *Tallies) Task() chunker.Task {
	return chunker.Task{Kind: schema.KindTally, Phases: []chunker.Phase{{Name: "count", Page: x.page}}}
}

// page counts the subject of a job. If the subject keeps changing, page leaves it to the next run. The job of
// a subject that does not exist is deleted, because the job may name a deleted account.
//
// A second call finds the stored count. A late duplicate has no lease, and writes nothing.
func (x *Tallies) page(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	s := subjectOf(job.Args)
	if !s.valid() {
		return chunker.Page{}, chunker.Permanent(fmt.Errorf("tally: no subject in %q", job.Args))
	}
	if there, err := x.there(ctx, s); err != nil || !there {
		return chunker.Page{Gone: err == nil}, err
	}
	if !x.has(s) {
		return chunker.Page{}, nil
	}
	now, err := x.read(ctx, s)
	if err != nil {
		return chunker.Page{}, err
	}
	atRest, err := x.settle(ctx, s, now, ofJob(job))
	if err == nil && !atRest {
		err = x.leave(ctx, s)
	}
	return chunker.Page{Done: 1}, err
}

// there reports whether the post or the account of a subject exists; for a notification, the account must have
// a profile. It costs a read.
func (x *Tallies) there(ctx context.Context, s Subject) (bool, error) {
	ref := x.db.User(s.Of)
	if s.ofPost() {
		ref = x.db.Post(s.Of)
	}
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{ref})
	if err != nil || s.Number != "" {
		return err == nil && docs[0].Exists(), err
	}
	return schema.HasProfile(docs[0]), nil
}
