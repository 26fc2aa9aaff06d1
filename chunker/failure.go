package chunker

import (
	"context"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/relationindex/chunker/jobdocs"
)

// recordFailure records a failure without progress.
func (e *Engine) recordFailure(job *Job, cause error) {
	now := e.opts.Now()
	if job.Attempt < 1 || job.FailingSince == nil || job.FailingSince.After(now) {
		job.FailingSince = &now
	}
	job.Attempt++
	job.Error = jobdocs.NewFailure(cause, now)
}

// hopeless reports whether the recorded failure must fail the job: no retry can help, or no retry has helped
// for too long.
func (e *Engine) hopeless(job Job, cause error) bool {
	if IsPermanent(cause) || job.MaxAttempts > 0 && job.Attempt >= job.MaxAttempts {
		return true
	}
	return job.Attempt >= e.opts.MaxAttempts && e.opts.Now().Sub(*job.FailingSince) >= e.opts.Patience
}

// stepDied counts a step's death as an attempt; otherwise a job that kills its steps
// would run for ever. It reports whether the job has now failed.
func (e *Engine) stepDied(job *Job) (failed bool) {
	e.recordFailure(job, errStepsDied)
	if !e.hopeless(*job, errStepsDied) {
		return false
	}
	finish(job, Failed, e.opts.Now())
	return true
}

// failedNotJob returns the updates that fail a document that is no job. The document's other
// fields stay for an operator to see.
func (e *Engine) failedNotJob(cause error) []firestore.Update {
	now := e.opts.Now()
	failure := jobdocs.NewFailure(cause, now)
	failure.Code = codes.InvalidArgument.String()
	return []firestore.Update{
		{Path: "state", Value: Failed}, {Path: "error", Value: failure},
		{Path: "lease", Value: nil}, {Path: "wakeAt", Value: nil}, {Path: "sweepAt", Value: nil},
		{Path: "finishedAt", Value: now}, {Path: "expireAt", Value: nil},
	}
}

// logKeepsFailing logs, once in a row of failures, that the job needs an operator. Alerts
// count this line. At that time, most of Options.Patience is left.
func (e *Engine) logKeepsFailing(ctx context.Context, job Job) {
	if job.Attempt == e.opts.MaxAttempts {
		e.opts.Logger.ErrorContext(ctx, "job keeps failing", keyJob, job.ID, keyKind, job.Kind, keyError, job.Error, keyAttempt, job.Attempt)
	}
}

// logFailed logs one line when a job has failed for good and its document says so. Alerts
// count this line.
func (e *Engine) logFailed(ctx context.Context, id, kind string, cause error) {
	e.opts.Logger.ErrorContext(ctx, "job failed", keyJob, id, keyKind, kind, keyError, cause)
}
