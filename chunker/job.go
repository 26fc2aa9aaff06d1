package chunker

import "example.com/relationindex/chunker/jobs"

// A job's document: package jobs has the fields, and what each state means.
type (
	Job      = jobs.Job
	State    = jobs.State
	Lease    = jobs.Lease
	Failure  = jobs.Failure
	Lane     = jobs.Lane
	Reported = jobs.Reported
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

// MaxLanes is the most lanes of a job.
const MaxLanes = jobs.MaxLanes

// Errors of package jobs.
var (
	ErrNewer    = jobs.ErrNewer
	ErrNotFound = jobs.ErrNotFound
)
