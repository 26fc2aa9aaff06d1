// Package jobstest has sample jobs for the tests of the command jobs.
package jobstest

import (
	"testing"
	"time"

	"example.com/relationindex/chunker"
)

// Jobs returns a job in each state, and two jobs of a post, as of the time now.
func Jobs(now time.Time) []chunker.Job {
	in := func(d time.Duration) *time.Time { t := now.Add(d); return &t }
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	of := func(n int64) *int64 { return &n }
	index := func(job chunker.Job) chunker.Job {
		job.Kind, job.Phases, job.MaxAttempts, job.Chunk = "relations.index", 2, 10, 500
		job.CreatedAt = ago(3 * time.Hour)
		return job
	}
	return []chunker.Job{
		index(chunker.Job{
			ID: "a-queued", State: chunker.Queued, WakeAt: in(5*time.Minute + 30*time.Second), Attempt: 2, FailingSince: in(-time.Hour), UpdatedAt: ago(30 * time.Second), Generation: "8", RunGeneration: "7",
			Error: &chunker.Failure{Code: "Aborted", Message: "posts/p1: contention", At: ago(30 * time.Second)},
		}),
		index(chunker.Job{
			ID: "b-running", State: chunker.Running, Phase: 1, Done: 40, Total: of(120), Hop: 3, UpdatedAt: ago(90 * time.Second), Generation: "7", RunGeneration: "7", EventID: "event-1",
			Lease: &chunker.Lease{Holder: "H", Until: *in(9*time.Minute + 30*time.Second)}, WakeAt: in(9*time.Minute + 30*time.Second),
			Args: map[string]string{"author": "alice", "index": "00001"}, Counts: map[string]int64{"created": 38, "kept": 2},
		}),
		index(chunker.Job{ID: "c-done", State: chunker.Done, Phase: 2, Done: 1, Private: true, UpdatedAt: ago(2 * time.Hour), FinishedAt: in(-2 * time.Hour), ExpireAt: in(7 * 24 * time.Hour)}),
		index(chunker.Job{
			ID: "d-failed", State: chunker.Failed, Done: 7, Total: of(9), Hop: 5, Attempt: 10, UpdatedAt: ago(4 * 24 * time.Hour), FinishedAt: in(-4 * 24 * time.Hour),
			Collection: "posts", Field: "userId", Value: "alice",
			Error: &chunker.Failure{Code: "DataLoss", Message: "relation p1_00001:\nnot what it was", At: ago(4 * 24 * time.Hour)},
		}),
		index(chunker.Job{ID: "e-canceled", State: chunker.Canceled, Done: 5, Hop: 1, UpdatedAt: ago(26 * time.Hour), FinishedAt: in(-26 * time.Hour)}),
		index(chunker.Job{ID: "p~1", State: chunker.Failed, Done: 3, Total: of(4), UpdatedAt: ago(3 * time.Minute)}),
		index(chunker.Job{ID: "p~2", State: chunker.Queued, Done: 3, Total: of(4), UpdatedAt: ago(3 * time.Minute)}),
	}
}

// Named returns the job in [Jobs] that has the id.
func Named(t testing.TB, id string, now time.Time) chunker.Job {
	t.Helper()
	for _, job := range Jobs(now) {
		if job.ID == id {
			return job
		}
	}
	t.Fatalf("no job %s", id)
	return chunker.Job{}
}
