package chunker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker/jobdocs"
)

// Swept counts the jobs that Sweep found.
type Swept struct {
	Due    int `json:"due"`    // jobs read whose wakeAt had passed by Options.Grace; in a long line, some are counted twice
	Woken  int `json:"woken"`  // of these, queued again: their events run them
	Failed int `json:"failed"` // of these, failed: steps keep dying, or no job
	Newer  int `json:"newer"`  // of these, skipped: a newer release wrote them
}

const (
	sweepPage = 100   // jobs that Sweep reads at once
	sweepMost = 5_000 // jobs that a call reads of a list that each queued job leaves
	sweepRest = 500   // jobs that a call reads of those that may wait for an event or a turn: there may be millions

	// sweepPlace is the document with the wakeAt at which the next call continues with these jobs.
	sweepPlace = "_settings/sweep"
)

// wakeTimeout bounds the time for one job: a read may hang.
const wakeTimeout = 10 * time.Second

// sweepErrors is the most jobs that Sweep's error names.
const sweepErrors = 10

// sweepAtOnce is how many jobs Sweep wakes at once: each is a transaction of two round trips.
const sweepAtOnce = 16

// Sweep queues the jobs whose wakeAt passed more than Options.Grace ago. Their event was lost or came too
// early, or their step died. The write emits the event that runs the next step. The grace spares a job that
// was only just queued, and whose event is on its way. The grace doubles with each sweep of a job without a
// step since, up to five minutes, because each sweep adds an event where events already wait for instances.
//
// A job with an owner may wait for a turn, and needs no event until there is one. Of these jobs, each call
// queues at most Options.Turns of an owner and kind, the oldest that it reads.
//
// If more than a page of jobs is due, Sweep continues with the jobs that only Sweep starts ([Job.SweepAt]), so that no
// line of jobs that wait for turns delays them. Then it queues the waiting jobs, if they may run again
// ([Engine.ReleaseBy]), and reads a part of the line. The next call reads the next part. If the end of a call is
// lost, or calls run at once, they read the same part.
//
// Call Sweep every minute, from one place or several. If the budget is spent, Sweep stops early without an
// error. A job that cannot be queued does not stop the others: Sweep joins the first few errors.
//
// Sweep costs a read for each job that it reads, and at least one. Each job that Sweep queues costs another read
// and a write, and so does a line.
func (e *Engine) Sweep(ctx context.Context, budget Budget) (Swept, error) {
	s := sweep{Engine: e, due: e.opts.Now().Add(-e.opts.Grace), turns: map[string]int{}, lets: e.released != nil && e.released()}
	due := e.Documents().Where("wakeAt", "<=", s.due).OrderBy("wakeAt", firestore.Asc)
	_, line := s.each(ctx, budget, due, sweepPage, s.chooses)
	if line {
		s.each(ctx, budget, e.Documents().Where("sweepAt", "<=", s.due).OrderBy("sweepAt", firestore.Asc), sweepMost, s.chooses)
	}
	if s.lets {
		s.each(ctx, budget, e.Waiting().OrderBy(firestore.DocumentID, firestore.Asc), sweepMost, s.choosesWaiting)
	}
	if line && budget.Left() > 0 {
		if err := s.part(ctx, budget, due); err != nil {
			s.failures = append(s.failures, fmt.Errorf("sweep: %w", err))
		}
	}
	return s.swept, errors.Join(s.failures...)
}

// part goes through a part of the due jobs. A crash before the place is stored leaves the place of an earlier call.
func (s *sweep) part(ctx context.Context, budget Budget, due firestore.Query) error {
	ref := s.client.Doc(sweepPlace)
	docs, err := s.client.GetAll(ctx, []*firestore.DocumentRef{ref})
	if err != nil {
		return err
	}
	place, _ := docs[0].DataAt("wakeAt")
	if from, is := place.(time.Time); is {
		due = due.Where("wakeAt", ">=", from)
	}
	last, more := s.each(ctx, budget, due, sweepRest, s.chooses)
	if !more {
		place = nil // the next call begins with the oldest
	} else if last != nil {
		place, _ = last.DataAt("wakeAt")
	}
	_, err = ref.Set(ctx, map[string]any{"wakeAt": place})
	return err
}

// each wakes the jobs that a query finds and that chooses accepts, until it has read most jobs. more reports whether
// the query may find further jobs after the last.
func (s *sweep) each(ctx context.Context, budget Budget, q firestore.Query, most int, chooses func(*firestore.DocumentSnapshot) bool) (last *firestore.DocumentSnapshot, more bool) {
	for page := q.Limit(sweepPage); most > 0 && budget.Left() > 0; most -= sweepPage {
		docs, err := page.Documents(ctx).GetAll()
		if err != nil {
			s.failures = append(s.failures, fmt.Errorf("sweep: %w", err))
			return last, true
		}
		var waking errgroup.Group
		waking.SetLimit(sweepAtOnce)
		for _, doc := range docs {
			if budget.Left() <= 0 {
				break
			}
			if last = doc; chooses(doc) {
				waking.Go(func() error {
					s.wake(ctx, doc.Ref)
					return nil
				})
			}
		}
		_ = waking.Wait()
		if len(docs) < sweepPage {
			return last, false
		}
		// Continue after the last document. A query from the start would scan the old
		// index entries of the jobs that were just queued.
		page = q.StartAfter(docs[len(docs)-1]).Limit(sweepPage)
	}
	return last, true
}

// sweep is one call of Sweep.
type sweep struct {
	*Engine
	due   time.Time      // of the newest wakeAt
	lets  bool           // jobs that wait may run again
	turns map[string]int // jobs chosen, by owner and kind

	mu       sync.Mutex // guards swept and failures while jobs are woken
	swept    Swept
	failures []error
}

// chooses counts a job that was found, and reports whether to wake it.
func (s *sweep) chooses(doc *firestore.DocumentSnapshot) bool {
	job, err := s.Decode(doc)
	newer := errors.Is(err, ErrNewer)
	s.mu.Lock()
	s.swept.Due++
	if newer {
		s.swept.Newer++
	}
	s.mu.Unlock()
	if newer || err != nil {
		return !newer
	}
	if job.SweepAt == nil && s.Concerns(job) && s.waitsForTurn(job) {
		of := turnKey(job)
		if s.turns[of]++; s.turns[of] > s.opts.Turns {
			return false
		}
	}
	return s.overdue(job, s.due)
}

// choosesWaiting counts a job that waits, and reports whether to wake it.
func (s *sweep) choosesWaiting(doc *firestore.DocumentSnapshot) bool {
	job, err := s.Decode(doc)
	if err != nil || !job.Waiting() {
		return false // of a newer release, or in the middle of its run
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swept.Due++
	return true
}

// waitsForTurn reports whether a due job may wait for its owner's turn.
func (e *Engine) waitsForTurn(job Job) bool { return job.State == Queued && e.turns.counts(job) }

// longestDelay is the longest that Sweep waits before it queues a job again.
const longestDelay = 5 * time.Minute

// overdue reports whether a job whose wakeAt is not after due has rested enough.
func (e *Engine) overdue(job Job, due time.Time) bool {
	return job.WakeAt != nil && !job.WakeAt.After(due) && e.Concerns(job) && (job.State != Queued || !e.opts.Now().Before(e.rested(job)))
}

// rested returns when Sweep may queue a queued job. A job that waits for a turn keeps its wakeAt when it is
// queued again. For such a job, the time of the requeue counts.
func (e *Engine) rested(job Job) time.Time {
	from := *job.WakeAt
	if job.Sweeps > 0 && job.UpdatedAt.After(from) {
		from = job.UpdatedAt
	}
	return from.Add(min(e.opts.Grace<<max(0, min(job.Sweeps, 10)), max(e.opts.Grace, longestDelay)))
}

// wake queues one job that is still due, or that waits and may run again. A crash before the write
// leaves the job to the next sweep. A sweep at the same time finds it queued.
func (s *sweep) wake(ctx context.Context, ref *firestore.DocumentRef) {
	ctx, cancel := context.WithTimeout(ctx, wakeTimeout)
	defer cancel()
	var now Swept
	var kind string // of a job that failed, with its cause
	var cause error
	var dead *Job // the job whose step has died
	err := s.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		now, kind, cause, dead = Swept{}, "", nil, nil
		stored, err := s.read(tx, ref)
		if errors.Is(err, jobdocs.ErrNotJob) {
			now.Failed, cause = 1, err
			return tx.Update(ref, s.failedNotJob(err))
		}
		if errors.Is(err, ErrNewer) {
			now.Newer++
			return nil
		}
		if err == nil && stored != nil && s.lets && stored.Waiting() {
			now.Woken = 1
			release(stored, s.opts.Now())
			return s.put(tx, ref, *stored)
		}
		if err != nil || stored == nil || !s.overdue(*stored, s.due) {
			return err
		}
		job := *stored
		if job.State == Running {
			dead = &job
		}
		if dead != nil && s.stepDied(&job) {
			now.Failed, kind, cause = 1, job.Kind, errStepsDied
			return s.put(tx, ref, job)
		}
		at := s.opts.Now()
		if s.waitsForTurn(job) {
			at = *job.WakeAt // it keeps its place in the owner's line
		}
		now.Woken = 1
		queue(&job, at, s.opts.Now())
		job.Sweeps++
		return s.put(tx, ref, job)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if len(s.failures) < sweepErrors {
			s.failures = append(s.failures, fmt.Errorf("sweep: job %s: %w", ref.ID, err))
		}
		return
	}
	if now.Failed > 0 {
		s.logFailed(ctx, ref.ID, kind, cause)
	} else if dead != nil {
		s.logKeepsFailing(ctx, *dead)
	}
	s.swept.Woken += now.Woken
	s.swept.Failed += now.Failed
	s.swept.Newer += now.Newer
}
