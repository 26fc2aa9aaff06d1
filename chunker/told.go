package chunker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker/jobdocs"
)

// EnqueueFailed writes a job that has already failed with a cause, for work that an operator must do, and logs
// it. If a job with this id exists, in any state, EnqueueFailed changes nothing. So the failure is not
// reported again until an operator deletes the job.
func (e *Engine) EnqueueFailed(ctx context.Context, s Spec, cause error) error {
	job := e.newRun(Job{CreatedAt: e.opts.Now()}, s)
	job.Error = jobdocs.NewFailure(cause, e.opts.Now())
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

// maxNoted is the most bytes of an argument after Note. A document has room for this.
const maxNoted = 256 << 10

// Note adds a value without a slash to an argument of a job that has failed or was canceled for a generation. noted
// reports whether the argument has the value; false: the argument has no room, or the job is another one. The value ""
// counts as present in every such job. Note changes no other job. It costs a read, and a write for a new value.
func (e *Engine) Note(ctx context.Context, id, generation, arg, value string) (noted bool, err error) {
	err = e.changeNoted(ctx, id, arg, func(job *Job, values []string) []string {
		if noted = false; job.State != Failed && job.State != Canceled || job.Generation != generation {
			return values
		}
		if noted = value == "" || slices.Contains(values, value); noted || len(job.Args[arg])+len("/")+len(value) > maxNoted {
			return values
		}
		noted = true
		return append(values, value)
	})
	return noted && err == nil, err
}

// Unnote removes a value from an argument of a job, whatever its state and generation. Without such a job, it
// does nothing. It costs a read, and a write if the value was there.
func (e *Engine) Unnote(ctx context.Context, id, arg, value string) error {
	return e.changeNoted(ctx, id, arg, func(_ *Job, values []string) []string {
		return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == value })
	})
}

// changeNoted changes the values in an argument of a job, if there is one.
func (e *Engine) changeNoted(ctx context.Context, id, arg string, change func(*Job, []string) []string) error {
	err := e.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		job, err := e.read(tx, e.Ref(id))
		if err != nil || job == nil {
			return err
		}
		values := job.Noted(arg)
		changed := change(job, values)
		if len(changed) == len(values) {
			return nil
		}
		return tx.Update(e.Ref(id), []firestore.Update{{Path: "args." + arg, Value: strings.Join(changed, "/")}})
	})
	if err != nil {
		return fmt.Errorf("job %q: %w", id, err)
	}
	return nil
}
