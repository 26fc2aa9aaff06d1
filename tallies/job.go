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
	// mostReads is how many reads a count costs at most that a handler makes itself.
	mostReads = 10

	// readsAThousand is how many documents, or index entries, an aggregation counts for one read.
	readsAThousand = 1000

	// jobPace is the shortest time between the beginnings of two jobs of a subject.
	jobPace = time.Minute
)

// large reports whether the document says so much that a job has to count it.
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

// leave leaves a subject to its job, which begins in a minute. Events that come until then find that job, with a read
// each. One that comes later, also while the job runs, has it run again, at least a minute after it began.
//
// A crash before the job is stored leaves the event.
func (x *Tallies) leave(ctx context.Context, s Subject) error {
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: s.jobID(), Kind: schema.KindTally, Owner: schema.OwnerOf(s.Of), Args: s.args(), Private: true,
		Generation: rand.Text(), // each event asks for a count of its own, unless one is about to begin
		At:         x.now().Add(jobPace),
	})
}

// Task returns the task of the jobs that count.
func (x *Tallies) Task() chunker.Task {
	return chunker.Task{Kind: schema.KindTally, Phases: []chunker.Phase{{Name: "count", Page: x.page}}}
}

// page counts the subject of a job. One that does not come to rest is left to the next run. The job of a subject that
// is not there goes, since it may name a deleted account.
//
// Twice, it finds what is stored. A late twin has no lease, and writes nothing.
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

// there reports whether the post or the account of a subject is there, for a notification with a profile. It costs a
// read.
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
