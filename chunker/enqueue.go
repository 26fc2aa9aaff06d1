package chunker

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Spec says what a job is to do.
type Spec struct {
	// ID is the job's document id. Make it from the target, so that a
	// duplicate event finds the job there.
	ID   string
	Kind string
	Args map[string]string
	// Generation names the state of the target that the job has to cover: an
	// update time, a version. Compared for equality only. A job that has
	// covered it, or is about to, is left alone.
	Generation string
	Chunk      int    // 0: the engine's
	Total      *int64 // nil: unknown
	EventID    string // for tracing
}

// Enqueue makes sure that a job covers the target's generation. It costs one
// read, and one write unless the job is there with this generation:
//
//   - no job: it is created, queued;
//   - the same generation: nothing, whatever the job's state;
//   - another generation, unfinished: the job starts over before it ends;
//   - another generation, finished: the job is queued again.
//
// When it returns nil the work is durable. It may be called twice and at once.
func (e *Engine) Enqueue(ctx context.Context, s Spec) error {
	ref := e.jobs().Doc(s.ID)
	if ref == nil {
		return Permanent(fmt.Errorf("enqueue %q: not a document id", s.ID))
	}
	err := e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		now := e.opts.Now()
		snap, err := tx.Get(ref)
		if status.Code(err) == codes.NotFound {
			job := Job{CreatedAt: now}
			return tx.Create(ref, e.fresh(job, s))
		}
		if err != nil {
			return err
		}
		job, err := decode(snap)
		if err != nil {
			return Permanent(err)
		}
		if job.Generation == s.Generation {
			return nil
		}
		if job.State.Finished() {
			return tx.Set(ref, e.fresh(job, s))
		}
		return tx.Update(ref, []firestore.Update{
			{Path: "generation", Value: s.Generation},
			{Path: "updatedAt", Value: now},
		})
	})
	if err != nil {
		return fmt.Errorf("enqueue job %s: %w", s.ID, err)
	}
	return nil
}

// fresh is job made ready for a first run of s. Hop and CreatedAt stay.
func (e *Engine) fresh(job Job, s Spec) Job {
	now := e.opts.Now()
	job.Kind, job.Args, job.Total, job.EventID = s.Kind, s.Args, s.Total, s.EventID
	job.Chunk = e.opts.Chunk
	if s.Chunk > 0 {
		job.Chunk = s.Chunk
	}
	job.Attempt, job.MaxAttempts, job.Error = 0, e.opts.MaxAttempts, nil
	job.restart(s.Generation)
	job.queue(now)
	job.UpdatedAt = now
	return job
}

// Unfinished are up to limit jobs that are queued or running. It costs a read
// for each, and at least one.
func (e *Engine) Unfinished(ctx context.Context, limit int) ([]Job, error) {
	docs, err := e.jobs().Where("state", "in", []State{Queued, Running}).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("unfinished jobs: %w", err)
	}
	jobs := make([]Job, len(docs))
	for i, doc := range docs {
		if jobs[i], err = decode(doc); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}
