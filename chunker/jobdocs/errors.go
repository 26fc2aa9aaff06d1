package jobdocs

import "errors"

var (
	// ErrNewer means that a newer release wrote the job: its [Schema] is above this
	// release's. The job was not written. Return an error for the event, so that it is
	// delivered again. During a deployment, the new release gets it.
	ErrNewer = errors.New("chunker: job was written by a newer release")
	// ErrNotFound means that no job has the id.
	ErrNotFound = errors.New("chunker: no such job")
	// ErrNotJob means that no release can have written the document.
	ErrNotJob = errors.New("chunker: not a job document")
)
