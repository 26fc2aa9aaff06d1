package jobs

import (
	"time"

	"example.com/relationindex/chunker"
)

// jobObject is a job as list prints it with --json. Every field is always
// there, null where the job has none.
type jobObject struct {
	ID         string         `json:"id"`
	Kind       string         `json:"kind"`
	State      chunker.State  `json:"state"`
	PhasesDone int            `json:"phasesDone"`
	Phases     int            `json:"phases"`
	Done       int64          `json:"done"`
	Total      *int64         `json:"total"`
	Hop        int64          `json:"hop"`
	Attempt    int            `json:"attempt"`
	Newer      bool           `json:"newer"` // a newer release wrote it; most fields are not shown
	Error      *failureObject `json:"error"`
	CreatedAt  *time.Time     `json:"createdAt"`
	UpdatedAt  *time.Time     `json:"updatedAt"`
	WakeAt     *time.Time     `json:"wakeAt"`
	FinishedAt *time.Time     `json:"finishedAt"`
}

// jobFields lists the fields of jobObject, for the help.
const jobFields = `  {"id","kind","state","phasesDone","phases","done","total","hop","attempt",
   "newer","error":{"code","message","at"},"createdAt","updatedAt","wakeAt","finishedAt"}`

type failureObject struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	At      time.Time `json:"at"`
}

func objectOf(job chunker.Job) jobObject {
	o := jobObject{
		ID: job.ID, Kind: job.Kind, State: job.State, PhasesDone: job.Phase, Phases: job.Phases,
		Done: job.Done, Total: job.Total, Hop: job.Hop, Attempt: job.Attempt, Newer: job.Newer(),
		CreatedAt: orNull(job.CreatedAt), UpdatedAt: orNull(job.UpdatedAt), WakeAt: job.WakeAt, FinishedAt: job.FinishedAt,
	}
	if job.Error != nil {
		o.Error = &failureObject{job.Error.Code, job.Error.Message, job.Error.At}
	}
	return o
}

// orNull returns nil for the zero time.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func objectsOf(jobs []chunker.Job) []jobObject {
	objects := make([]jobObject, len(jobs))
	for i, job := range jobs {
		objects[i] = objectOf(job)
	}
	return objects
}

// detailsObject is a job as show prints it with --json: the fields that list prints, and more.
type detailsObject struct {
	jobObject

	Counts        map[string]int64  `json:"counts"`
	Generation    string            `json:"generation"`
	RunGeneration string            `json:"runGeneration"`
	MaxAttempts   int               `json:"maxAttempts"`
	FailingSince  *time.Time        `json:"failingSince"`
	Sweeps        int               `json:"sweeps"` // since its last step
	Chunk         int               `json:"chunk"`
	Lease         *leaseObject      `json:"lease"`
	Private       bool              `json:"private"`
	Args          map[string]string `json:"args"`
	Walk          string            `json:"walk"`
	EventID       string            `json:"eventId"`
	ExpireAt      *time.Time        `json:"expireAt"`
}

// detailsFields lists the fields that detailsObject adds to jobFields, for the help.
const detailsFields = `  {"counts":{},"generation","runGeneration","maxAttempts","failingSince","sweeps","chunk",
   "lease":{"holder","until"},"private","args":{},"walk","eventId","expireAt"}`

type leaseObject struct {
	Holder string    `json:"holder"`
	Until  time.Time `json:"until"`
}

// detailsOf returns a job as show prints it.
func detailsOf(job chunker.Job) detailsObject {
	return detailsObject{
		jobObject: objectOf(job), Counts: orEmpty(job.Counts), Generation: job.Generation, RunGeneration: job.RunGeneration,
		MaxAttempts: job.MaxAttempts, FailingSince: job.FailingSince, Sweeps: job.Sweeps, Chunk: job.Chunk, Private: job.Private, Args: orEmpty(job.Args), Walk: walk(job),
		EventID: job.EventID, Lease: (*leaseObject)(job.Lease), ExpireAt: job.ExpireAt,
	}
}

func orEmpty[V any](values map[string]V) map[string]V {
	if values == nil {
		return map[string]V{}
	}
	return values
}
