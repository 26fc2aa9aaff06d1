package testkit

import (
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/social"
)

// Worker is a process that runs jobs without triggers. The test calls the steps.
type Worker struct {
	*chunker.Engine
	Index  *social.System
	Client *firestore.Client
}

// Worker starts a process with a clock that is ahead. Interceptors see its calls.
func (a *App) Worker(ahead time.Duration, interceptors ...wire.Interceptor) Worker {
	a.T.Helper()
	client, err := local.Open(a.T.Context(), a.ID, Machine(a.T).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		a.T.Fatal(err)
	}
	now := func() time.Time { return time.Now().Add(ahead) }
	engine := chunker.New(client, chunker.Options{Chunk: a.Config.Chunk, Now: now, Wait: NoWait})
	index, err := social.New(client, engine, a.Config)
	if err != nil {
		a.T.Fatal(err)
	}
	return Worker{engine, index, client}
}

// Purge deletes the account's traces: it handles the event, then runs jobs until none is left.
func (w Worker) Purge(a *App, user string) error {
	if err := w.Index.Accounts.Purge(a.T.Context(), user, "1", ""); err != nil {
		return err
	}
	return w.Finish(a)
}

// Finish runs steps, one of each job in turn, until no job is left to run.
func (w Worker) Finish(a *App) error {
	for range 100 {
		jobs, err := w.Unfinished(a.T.Context(), 100)
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, job := range jobs {
			budget := chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil).Yield(time.Nanosecond)
			if err := w.Run(a.T.Context(), job.ID, budget); err != nil {
				return err
			}
		}
	}
	return errors.New("a job goes on for ever")
}

// Until runs steps of all jobs until the job with the id has finished or failed an attempt.
func (w Worker) Until(a *App, id string) chunker.Job {
	a.T.Helper()
	for range 100 {
		if job := a.Job(id); job.State.Finished() || job.Attempt > 0 {
			return job
		}
		jobs, err := w.Unfinished(a.T.Context(), 100)
		if err != nil {
			a.T.Fatal(err)
		}
		for _, job := range jobs {
			budget := chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil).Yield(time.Nanosecond)
			if err := w.Run(a.T.Context(), job.ID, budget); err != nil {
				a.T.Fatal(err)
			}
		}
	}
	a.T.Fatal("the job goes on for ever")
	return chunker.Job{}
}

// Ends runs jobs until none is left to run, or until a job has an error in a second turn.
func (w Worker) Ends(a *App) error {
	for again := false; ; again = true {
		jobs, err := w.Unfinished(a.T.Context(), 100)
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, job := range jobs {
			if again && job.Error != nil {
				return fmt.Errorf("job %s: %+v", job.ID, job.Error)
			}
			if err := w.Run(a.T.Context(), job.ID, chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil)); err != nil {
				return err
			}
		}
	}
}

// Step runs one page of a job, and returns the job as stored after the page.
func (w Worker) Step(a *App, id string) chunker.Job {
	a.T.Helper()
	budget := chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil).Yield(time.Nanosecond)
	if err := w.Run(a.T.Context(), id, budget); err != nil {
		a.T.Errorf("step of %s: %v", id, err)
	}
	job, err := w.Get(a.T.Context(), id)
	if err != nil && !errors.Is(err, chunker.ErrNotFound) {
		a.T.Error(err)
	}
	return job
}

// Alone runs one job to its end, and no other.
func (w Worker) Alone(a *App, id string) {
	a.T.Helper()
	for range 50 {
		if job := w.Step(a, id); job.State.Finished() || job.State == "" {
			return
		}
	}
	a.T.Errorf("%s has not ended", id)
}

// Used calls do, waits until the app is idle, and returns the functions' use of Firestore meanwhile.
func (a *App) Used(do func()) wire.Counts {
	a.T.Helper()
	before := a.Meter.Counts()
	do()
	a.Settle()
	return a.Meter.Counts().Minus(before)
}
