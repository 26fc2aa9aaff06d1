package chunker

import (
	"time"

	"example.com/relationindex/chunker/jobdocs"
)

// limit returns the most documents of the next page.
func limit(j Job) int {
	chunk := max(1, min(j.Chunk, jobdocs.MaxChunk))
	return max(1, chunk>>(2*min(10, max(0, j.Attempt-1))))
}

// longestWait is the furthest that an engine sets a lease or a retry time ahead. No
// function may run longer than an hour, and backoff is shorter. No engine wrote a later
// time, so it is ignored.
const longestWait = time.Hour

func ahead(t, now time.Time) bool { return now.Before(t) && t.Sub(now) <= longestWait }

// leased reports whether another step holds the job at now. If a job's steps keep dying, the job also rests
// after each step, as after a page that fails.
func leased(j Job, now time.Time) bool {
	if j.State != Running || j.Lease == nil {
		return false
	}
	if ahead(j.Lease.Until, now) {
		return true
	}
	return j.Attempt > 0 && !now.Before(j.Lease.Until) && now.Before(j.Lease.Until.Add(backoff(j.Attempt, atOnce)))
}

// waits reports whether the job is queued for a later time: of a retry, or of a run. Any other queued job is
// due: if its wakeAt is later than now, two clocks differ.
func waits(j Job, now time.Time) bool {
	if j.State != Queued || j.WakeAt == nil {
		return false
	}
	return j.Later() && now.Before(*j.WakeAt) || retries(j) && ahead(*j.WakeAt, now)
}

// begins returns when the next run of a job that is queued now begins.
func begins(j Job, now time.Time) time.Time {
	if j.At != nil && j.At.After(now) {
		return *j.At
	}
	return now
}

// retries reports whether the job is queued for a retry.
func retries(j Job) bool { return j.State == Queued && j.Attempt > 0 }

// restart resets the job to the beginning of a run that covers generation.
func restart(j *Job, generation string) {
	j.Phase, j.LastDoc, j.Done, j.Total, j.Counts, j.Waits = 0, nil, 0, nil, nil, false
	j.Generation, j.RunGeneration = generation, generation
}

// queue lets a step claim the job from at on. Hop grows, so that the write differs from
// the previous one and emits an event, which comes too early for a step after now.
func queue(j *Job, at, now time.Time) {
	j.State, j.Lease, j.WakeAt, j.SweepAt = Queued, nil, &at, nil
	if at.After(now) {
		j.SweepAt = &at
	}
	j.FinishedAt, j.ExpireAt = nil, nil
	j.Hop++
}

// park queues a job without a time, after a run that has left work out.
func park(j *Job) {
	queue(j, time.Time{}, time.Time{})
	j.WakeAt, j.Waits = nil, true
}

// release queues a waiting job, for a run from at on.
func release(j *Job, at time.Time) {
	queue(j, at, at)
	j.Waits, j.Sweeps = false, 0
}

// clearFailures forgets the failures: after progress, or when an operator or Enqueue starts
// the job again.
func clearFailures(j *Job) { j.Attempt, j.FailingSince, j.Error = 0, nil, nil }

// keep is how long the document of a done job stays. A failed or canceled job stays
// until an operator decides: it is the only record of the work that is not done.
const keep = 7 * 24 * time.Hour

// finish ends the job in state s.
func finish(j *Job, s State, now time.Time) {
	j.State, j.Lease, j.WakeAt, j.SweepAt = s, nil, nil, nil
	j.FinishedAt, j.ExpireAt = &now, nil
	if s != Done {
		return
	}
	expire := now.Add(keep)
	j.ExpireAt, j.Owner = &expire, ""
	if j.Private {
		j.Args, j.Value = nil, nil
	}
}
