package chunker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker/jobs"
)

// EnqueueFailed writes a job that has failed with a cause, for work that waits for people,
// and logs it. If there is a job of this id, in whatever state, it changes nothing: what is
// told once is not told again until somebody deletes the job.
func (e *Engine) EnqueueFailed(ctx context.Context, s Spec, cause error) error {
	job := e.newRun(Job{CreatedAt: e.opts.Now()}, s)
	job.Error = jobs.NewFailure(cause, e.opts.Now())
	finish(&job, Failed, e.opts.Now())
	_, err := e.Ref(s.ID).Create(ctx, job)
	if status.Code(err) == codes.AlreadyExists {
		return nil
	}
	if err != nil {
		return fmt.Errorf("enqueue job %s: %w", s.ID, err)
	}
	e.logFailed(ctx, s.ID, s.Kind, cause)
	return nil
}

// maxNoted is how many values Note adds to a job: a document has room for them.
const maxNoted = 1000

// Note adds a value, which has no slash, to an argument of a job that has failed or was
// canceled for a generation, and reports whether it is there. Beyond a thousand values, it
// only says so. It changes no other job. It costs a read, and a write for a new value.
func (e *Engine) Note(ctx context.Context, id, generation, arg, value string) (noted bool, err error) {
	err = e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		noted = false
		job, err := e.read(tx, e.Ref(id))
		if err != nil || job == nil || job.State != Failed && job.State != Canceled || job.Generation != generation {
			return err
		}
		noted = true
		values := strings.FieldsFunc(job.Args[arg], func(r rune) bool { return r == '/' })
		if len(values) >= maxNoted || slices.Contains(values, value) {
			return nil
		}
		return tx.Update(e.Ref(id), []firestore.Update{{Path: "args." + arg, Value: strings.Join(append(values, value), "/")}})
	})
	if err != nil {
		return false, fmt.Errorf("job %q: %w", id, err)
	}
	return noted, nil
}
