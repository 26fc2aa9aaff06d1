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

	// jobPace is the shortest time between the beginnings of two jobs of a subject, and longestPace is the longest.
	jobPace, longestPace = time.Minute, time.Hour

	// hourlyReads is the most reads in an hour of the counts of a subject, however many acts it gets, unless a
	// single count costs more.
	hourlyReads = 6_000
)

// large reports whether a job must count the subject, by the numbers in the document.
func (x *Tallies) large(s Subject, now state) bool { return x.size(s, now) > mostReads*readsAThousand }

// pace returns the time until the next job of a subject begins.
func (x *Tallies) pace(s Subject, now state) time.Duration {
	reads := min(x.size(s, now)/readsAThousand, hourlyReads)
	return min(max(time.Duration(reads)*time.Hour/hourlyReads, jobPace), longestPace)
}

// size returns how many documents a count of the subject finds, by the numbers in the document.
func (x *Tallies) size(s Subject, now state) int64 {
	field := s.Number
	if field == "" {
		field = schema.FieldCount
	}
	n, _ := now.says[field].(int64)
	if s.Number == followersOf { // index documents are counted
		n /= int64(x.db.Config.Capacity)
	}
	return n
}

// leave leaves a subject to its job, which begins after a minute, or later if the subject is so large that its counts
// would cost too much. Until then, each event finds that job, and costs one read. A later event, also while the job
// runs, makes the job run again, as much later.
//
// A crash before the job is stored leaves the event.
func (x *Tallies) leave(ctx context.Context, s Subject, now state) error {
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: s.jobID(), Kind: schema.KindTally, Owner: x.db.OwnerOf(s.Of), Args: s.args(), Private: true,
		Generation: rand.Text(), // each event requires a count of its own, unless one is about to begin
		At:         x.now().Add(x.pace(s, now)),
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
		err = x.leave(ctx, s, now)
	}
	return chunker.Page{Done: 1}, x.graph.PastDamage(ctx, err)
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
