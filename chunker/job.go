package chunker

import "example.com/relationindex/chunker/jobdocs"

// The parts of a job's document: package jobdocs defines their fields and meaning.
type (
	// Job is the job document.
	Job = jobdocs.Job
	// State is the state of a job.
	State = jobdocs.State
	// Lease gives one step the right to write the job until a time.
	Lease = jobdocs.Lease
	// Failure is the last error of a job.
	Failure = jobdocs.Failure
)

// The states of a job.
const (
	Queued   = jobdocs.Queued
	Running  = jobdocs.Running
	Done     = jobdocs.Done
	Failed   = jobdocs.Failed
	Canceled = jobdocs.Canceled
)

// Schema is the newest schema of job documents that this release supports.
const Schema = jobdocs.Schema

// Errors of package jobdocs.
var (
	ErrNewer    = jobdocs.ErrNewer
	ErrNotFound = jobdocs.ErrNotFound
)
