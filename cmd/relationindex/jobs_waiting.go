package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/console"
)

const (
	// maxWatched is how many jobs are watched at once: each is a stream, and
	// Firestore allows 100 on a connection. The others wait for their turn.
	maxWatched = 50
	// lastLook is how long the jobs may be asked how far they are when the time is over.
	lastLook = 10 * time.Second
)

// deleted is how a job ended whose document is gone.
const deleted chunker.State = "deleted"

// waiting is a wait for the end of jobs.
type waiting struct {
	engine   *chunker.Engine
	out      io.Writer
	progress *console.Progress
	ids      []string // in the order of the jobs

	mu   sync.Mutex             // guards jobs and what is printed
	jobs map[string]chunker.Job // as they were seen last
}

func newWaiting(engine *chunker.Engine, jobs []chunker.Job, out io.Writer) *waiting {
	w := &waiting{engine: engine, out: out, jobs: map[string]chunker.Job{}}
	for _, job := range jobs {
		w.ids = append(w.ids, job.ID)
		w.jobs[job.ID] = job
	}
	return w
}

// run waits, and prints the line of each job. It returns errReported unless all
// are done.
func (w *waiting) run(ctx context.Context, timeout time.Duration) error {
	w.progress = console.Start("jobs", 0)
	defer w.progress.End()
	unfinished := w.unfinished()
	for _, id := range w.ids {
		if job := w.jobs[id]; ended(job) {
			w.seen(job)
		}
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := w.each(limited, unfinished, w.watch)
	if err == nil && limited.Err() != nil {
		look, cancel := context.WithTimeout(ctx, lastLook)
		defer cancel()
		err = w.each(look, w.unfinished(), w.look)
	}
	w.progress.End()
	if err != nil {
		return fmt.Errorf("wait (the jobs go on): %w", err)
	}
	return w.summarize(timeout)
}

// each calls do for the ids, for some of them at once. The first error ends it.
func (w *waiting) each(ctx context.Context, ids []string, do func(context.Context, string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxWatched)
	for _, id := range ids {
		group.Go(func() error { return do(ctx, id) })
	}
	return group.Wait()
}

// watch returns when the job has ended, and without an error when the time is over.
func (w *waiting) watch(ctx context.Context, id string) error {
	_, err := w.engine.Wait(ctx, id, w.seen)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return w.unlessGone(id, err)
}

// look sees how far the job is now: some were not watched yet.
func (w *waiting) look(ctx context.Context, id string) error {
	job, err := w.engine.Get(ctx, id)
	if err == nil {
		w.seen(job)
	}
	return w.unlessGone(id, err)
}

// unlessGone returns err, unless it says that the job was deleted, which is an end.
func (w *waiting) unlessGone(id string, err error) error {
	if !errors.Is(err, chunker.ErrNotFound) {
		return err
	}
	w.mu.Lock()
	job := w.jobs[id]
	w.mu.Unlock()
	job.State = deleted
	w.seen(job)
	return nil
}

func ended(job chunker.Job) bool { return job.State.Finished() || job.State == deleted }

func (w *waiting) unfinished() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for _, id := range w.ids {
		if !ended(w.jobs[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// seen takes note of how a job is now, and prints its line when it has ended:
// from then on nobody looks at it.
func (w *waiting) seen(job chunker.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs[job.ID] = job
	if ended(job) {
		w.progress.Above(func() { w.line(job) })
	}
	w.show()
}

// line is for one job: "failed    post:p1  40 of 120 documents: Unavailable: …".
func (w *waiting) line(job chunker.Job) {
	text := fmt.Sprintf("%-8s  %s  %s", job.State, job.ID, progressOf(job))
	if why := reason(job); why != "" {
		text += ": " + why
	}
	fmt.Fprintln(w.out, console.Printable(text))
}

// show draws the sum of all jobs.
func (w *waiting) show() {
	left, sum := 0, chunker.Job{Total: new(int64)}
	for _, job := range w.jobs {
		sum.Done += job.Done
		total := job.Total
		if ended(job) {
			total = &job.Done
		} else {
			left++
		}
		if total == nil || sum.Total == nil {
			sum.Total = nil // nobody knows
		} else {
			*sum.Total += *total
		}
	}
	w.progress.Describe(counted(left, "job") + " left, " + progressOf(sum))
}

// summarize prints the jobs that are still under way, and how many ended how.
func (w *waiting) summarize(timeout time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	counts := map[chunker.State]int{}
	left := 0
	for _, id := range w.ids {
		if job := w.jobs[id]; ended(job) {
			counts[job.State]++
		} else {
			left++
			w.line(job)
		}
	}
	words := []string{fmt.Sprintf("%d done", counts[chunker.Done])}
	for _, state := range []chunker.State{chunker.Failed, chunker.Canceled, deleted} {
		if n := counts[state]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, state))
		}
	}
	if left > 0 {
		words = append(words, fmt.Sprintf("%d unfinished after %v", left, timeout))
	}
	fmt.Fprintln(w.out, "wait:", strings.Join(words, ", "))
	if counts[chunker.Done] < len(w.jobs) {
		return errReported
	}
	return nil
}
