package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/wire"
)

// firstPause and maxPause are the first and the longest pause between two reads of the jobs.
// A listener would hear of a change sooner, for the same price. But a listener that misses a
// change waits for ever, and a command has no event that comes again.
const (
	firstPause = 200 * time.Millisecond
	maxPause   = 10 * time.Second
	// perJob bounds the reads of many jobs: a hundred a second on average.
	perJob = 10 * time.Millisecond
	// lookAtOnce is the number of jobs that one request reads.
	lookAtOnce = 500
	// lastLook bounds the last read of the jobs, after the timeout.
	lastLook = 10 * time.Second
)

// deleted is the final state of a job without a document.
const deleted chunker.State = "deleted"

// waiting is a wait for the end of jobs.
type waiting struct {
	engine   *chunker.Engine
	out      io.Writer
	progress *console.Progress
	ids      []string               // in the order of the jobs
	jobs     map[string]chunker.Job // as last read
	failed   error                  // error of the last read
}

// wait waits for jobs until timeout after started, and prints a line for each job.
// It returns command.ErrReported unless all are done.
func wait(ctx context.Context, engine *chunker.Engine, jobs []chunker.Job, out io.Writer, started time.Time, timeout time.Duration) error {
	w := &waiting{engine: engine, out: out, jobs: map[string]chunker.Job{}, progress: console.Start("jobs", 0)}
	defer w.progress.End()
	for _, job := range jobs {
		w.ids = append(w.ids, job.ID)
		w.jobs[job.ID] = job
	}
	for _, job := range jobs {
		if ended(job) {
			w.seen(job)
		}
	}
	w.show()
	err := w.untilEnded(ctx, started.Add(timeout))
	w.progress.End()
	if err == nil && w.failed != nil {
		fmt.Fprintln(out, console.Printable("the last look failed: "+w.failed.Error()))
	}
	summary := w.summarize(min(timeout, time.Since(started).Round(time.Millisecond)))
	if err != nil {
		return fmt.Errorf("wait (the jobs go on): %w", err)
	}
	return summary
}

// untilEnded reads the jobs until all have ended, or until the deadline. After the
// deadline it reads them once more. A failed read does not end the wait if the next
// read may succeed.
func (w *waiting) untilEnded(ctx context.Context, deadline time.Time) error {
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		if w.look(limited); hopeless(w.failed) {
			return w.failed
		}
		left := len(w.unfinished())
		if left == 0 {
			return nil
		}
		timer := time.NewTimer(max(pause, time.Duration(left)*perJob))
		select {
		case <-timer.C:
		case <-limited.Done():
			timer.Stop()
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			last, cancel := context.WithTimeout(ctx, lastLook)
			defer cancel()
			w.look(last)
			return nil
		}
	}
}

// hopeless reports whether a retry cannot change the error of a read.
func hopeless(err error) bool {
	switch status.Code(err) {
	case codes.PermissionDenied, codes.InvalidArgument, codes.NotFound: // NotFound: the database
		return true
	default:
		return errors.Is(err, wire.ErrNoIndex)
	}
}

// look reads the unfinished jobs.
func (w *waiting) look(ctx context.Context) {
	defer w.show()
	for ids := range slices.Chunk(w.unfinished(), lookAtOnce) {
		var jobs []chunker.Job
		if jobs, w.failed = w.engine.GetAll(ctx, ids); w.failed != nil {
			return
		}
		there := map[string]bool{}
		for _, job := range jobs {
			there[job.ID] = true
			w.seen(job)
		}
		for _, id := range ids {
			if !there[id] {
				job := w.jobs[id]
				job.State = deleted
				w.seen(job)
			}
		}
	}
}

func ended(job chunker.Job) bool { return job.State.Finished() || job.State == deleted }

func (w *waiting) unfinished() []string {
	var ids []string
	for _, id := range w.ids {
		if !ended(w.jobs[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// seen records a job as it was read. If the job has ended, seen prints its line, and
// the job is not read again.
func (w *waiting) seen(job chunker.Job) {
	w.jobs[job.ID] = job
	if ended(job) {
		w.progress.Above(func() { w.line(job) })
	}
}

// line prints the line of one job: "failed    post:p1  40 of 120 documents: Unavailable: …".
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
			sum.Total = nil // the total is unknown
		} else {
			*sum.Total += *total
		}
	}
	w.progress.Describe(console.Counted(left, "job") + " left, " + progressOf(sum))
}

// summarize prints the unfinished jobs, and the number of jobs by final state.
func (w *waiting) summarize(after time.Duration) error {
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
		words = append(words, fmt.Sprintf("%d unfinished after %v", left, after))
	}
	fmt.Fprintln(w.out, "wait:", strings.Join(words, ", "))
	if counts[chunker.Done] < len(w.jobs) {
		return command.ErrReported
	}
	return nil
}
