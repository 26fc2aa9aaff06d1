package chunker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// listenAgain is how long Wait waits before it listens again to a server that
// has ended the stream.
const listenAgain = time.Second

// Wait returns when the job has finished, and gives it to progress, unless
// nil, each time it is written until then. The error is ErrNotFound, or that
// of ctx. It costs a read for each time.
func (e *Engine) Wait(ctx context.Context, id string, progress func(Job)) (Job, error) {
	ref := e.Ref(id)
	if ref == nil {
		return Job{}, fmt.Errorf("job %q: %w", id, ErrNotFound)
	}
	for {
		job, err := e.listen(ctx, ref, progress)
		if status.Code(err) != codes.Canceled {
			return job, err
		}
		// The server reset the stream, as it may at any time. The client library listens
		// again after other errors, and takes this one for its caller's.
		timer := time.NewTimer(listenAgain)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return Job{}, context.Cause(ctx)
		}
	}
}

// listen is Wait on one stream.
func (e *Engine) listen(ctx context.Context, ref *firestore.DocumentRef, progress func(Job)) (Job, error) {
	it := ref.Snapshots(ctx)
	defer it.Stop()
	for {
		snap, err := it.Next()
		switch {
		case ctx.Err() != nil:
			return Job{}, context.Cause(ctx)
		case errors.Is(err, iterator.Done), status.Code(err) == codes.NotFound, err == nil && !snap.Exists():
			return Job{}, fmt.Errorf("job %q: %w", ref.ID, ErrNotFound)
		case err != nil:
			return Job{}, fmt.Errorf("wait for job %q: %w", ref.ID, err)
		}
		job := e.show(snap)
		if progress != nil {
			progress(job)
		}
		if job.State.Finished() {
			return job, nil
		}
	}
}
