package tallies

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

const (
	// pace is the shortest time between two counts of a subject in a process.
	pace = time.Second

	// atOnce is how many subjects of one event are counted concurrently: a post may name a hundred people.
	atOnce = 16
)

// Tallies keeps the numbers and notifications of a database. It is safe for concurrent use. Create one for
// each process, so that the process's events share counts.
type Tallies struct {
	graph  *followers.Graph
	db     *schema.Database
	engine *chunker.Engine
	shared *batch.Group[Subject, struct{}, struct{}]
	events *batch.Group[Subject, struct{}, struct{}] // of likes and comments, by their number
	now    func() time.Time
}

// New makes the tallies of a graph's database. It sends no requests.
func New(graph *followers.Graph) *Tallies {
	x := &Tallies{graph: graph, db: graph.Database(), engine: graph.Engine(), now: graph.Engine().Now}
	x.shared, x.events = x.group(x.tally), x.group(x.told)
	x.shared.Pace = pace
	return x
}

// group returns a Group whose calls for a subject share the next run of do while one run is under way.
func (x *Tallies) group(do func(context.Context, Subject) error) *batch.Group[Subject, struct{}, struct{}] {
	return &batch.Group[Subject, struct{}, struct{}]{
		Timeout: schema.BatchTimeout, Logger: x.db.Config.Logger,
		Run: func(ctx context.Context, _ *batch.Batch, s Subject, calls []struct{}) []batch.Outcome[struct{}] {
			return batch.AllFailed[struct{}](len(calls), do(ctx, s))
		},
	}
}

// Tally makes the documents of subjects agree with their counts. It skips subjects that the configuration does
// not have, and subjects that can have no document. When it returns nil, everything is durable, in documents
// or in a job.
//
// Calls of one process that come while a subject is counted share its next count. So a count never
// acknowledges an event that came after the count began. A crash anywhere leaves the event.
//
// A number costs two reads. If it differs, it costs a write and another read. Counts of more than 1,000 cost
// more. A notification costs the reads of [Tallies.due], and one read. If it differs, it costs a write and the
// same reads again. A new notification costs at most two reads more.
//
// A second call finds the stored count and writes nothing. A late call counts the current documents. If two
// processes tally a subject at once, one of them finds that the document has changed, and counts again. If the
// event never comes, the next event of the subject or a repair corrects the document. If a server's document has no room
// for a number, that is reported once: see [followers.Graph.PastDamage].
func (x *Tallies) Tally(ctx context.Context, subjects ...Subject) error {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(s Subject) bool { return !x.has(s) })
	errs := make([]error, len(subjects))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for n, s := range subjects {
		if slices.Index(subjects, s) < n {
			continue
		}
		group.Go(func() error {
			if errs[n] = ctx.Err(); errs[n] == nil { // else all that are left would begin at once
				_, errs[n] = x.shared.Do(ctx, s, struct{}{})
			}
			return nil
		})
	}
	_ = group.Wait()
	var failed work.Failures
	for _, err := range errs {
		failed.Add(err)
	}
	return failed.Joined()
}

// has reports whether the configuration has a subject.
func (x *Tallies) has(s Subject) bool {
	if s.Number != "" {
		return x.db.Config.Counts && s.valid()
	}
	return x.db.Config.Notifications && s.valid()
}

// tally is Tally for one subject, without the pace.
func (x *Tallies) tally(ctx context.Context, s Subject) error {
	now, err := x.read(ctx, s)
	atRest := false
	if err == nil && !x.large(s, now) {
		atRest, err = x.settle(ctx, s, now, ofHandler)
	}
	if err == nil && !atRest {
		err = x.leave(ctx, s, now)
	}
	if err != nil {
		return x.graph.PastDamage(ctx, fmt.Errorf("tally of %s: %w", x.ref(s).Path, err))
	}
	return nil
}
