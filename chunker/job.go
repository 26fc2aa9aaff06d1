package chunker

import "example.com/relationindex/chunker/jobs"

// The parts of a job's document: package jobs has their fields, and what they mean.
type (
	// Job is the job document.
	Job = jobs.Job
	// State is the state of a job.
	State = jobs.State
	// Lease gives one step the right to write the job until a time.
	Lease = jobs.Lease
	// Failure is the last error of a job.
	Failure = jobs.Failure
)

// The states of a job.
const (
	Queued   = jobs.Queued
	Running  = jobs.Running
	Done     = jobs.Done
	Failed   = jobs.Failed
	Canceled = jobs.Canceled
)

// Schema is the newest schema of job documents that this release supports.
const Schema = jobs.Schema

// Errors of package jobs.
var (
	ErrNewer    = jobs.ErrNewer
	ErrNotFound = jobs.ErrNotFound
)
