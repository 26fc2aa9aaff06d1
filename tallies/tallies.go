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

	// atOnce is how many subjects of one event are counted at once: a post may name a hundred people.
	atOnce = 16
)

// Tallies keeps the numbers and notifications of a database. It is safe for concurrent use. Make one for each process, so
// that its events share counts.
type Tallies struct {
	db     *schema.Database
	engine *chunker.Engine
	shared *batch.Group[Subject, struct{}, struct{}]
	events *batch.Group[Subject, struct{}, struct{}] // of likes and comments, by the number that they change
	now    func() time.Time
}

// New makes the tallies of a graph's database. It sends no requests.
func New(graph *followers.Graph) *Tallies {
	x := &Tallies{db: graph.Database(), engine: graph.Engine(), now: time.Now}
	x.shared, x.events = x.group(x.tally), x.group(x.told)
	x.shared.Pace = pace
	return x
}

// group has calls for a subject that come while do runs share the next run of it.
func (x *Tallies) group(do func(context.Context, Subject) error) *batch.Group[Subject, struct{}, struct{}] {
	return &batch.Group[Subject, struct{}, struct{}]{
		Timeout: schema.BatchTimeout, Logger: x.db.Config.Logger,
		Run: func(ctx context.Context, _ *batch.Batch, s Subject, calls []struct{}) []batch.Outcome[struct{}] {
			return batch.AllFailed[struct{}](len(calls), do(ctx, s))
		},
	}
}

// Tally makes the documents of subjects say what is true. It leaves out those that the configuration does not have,
// and those that can have no document. When it returns nil, all is durable, in documents or in a job.
//
// Calls of one process that come while a subject is counted share its next count. So a count that began before an event came
// never acknowledges it. A crash anywhere leaves the event.
//
// A number costs two reads, and if it differs a write and another read; more where there are more than 1,000 of what is counted. A
// notification costs what [Tallies.due] costs, and one read; if it differs, a write and the same again. A new one costs at most
// two reads more.
//
// Twice, it finds what is stored and writes nothing. Late, it counts what is there by then. While its twin runs, in another
// process, one of them finds that the document has changed, and counts again. If it never comes, the next event of the
// subject or a repair makes up for it.
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

// tally is Tally for one subject, outside of the pace.
func (x *Tallies) tally(ctx context.Context, s Subject) error {
	now, err := x.read(ctx, s)
	atRest := false
	if err == nil && !x.large(s, now) {
		atRest, err = x.settle(ctx, s, now, ofHandler)
	}
	if err == nil && !atRest {
		err = x.leave(ctx, s)
	}
	if err != nil {
		return fmt.Errorf("tally of %s: %w", x.ref(s).Path, err)
	}
	return nil
}
