package metrics

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Run is what one run of a function did.
type Run struct {
	Function, Outcome               string
	Reads, Writes, Deletes, Retries int64
	Lag                             *time.Duration // from the event's time to the end; nil: not known, or not done
	BudgetLeft                      *time.Duration // of a step of a job; nil: it was none
}

// The upper bounds of histograms, in seconds.
var (
	lagBounds    = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 24 * 3600}
	budgetBounds = []float64{0, 1, 5, 10, 30, 60, 120, 240, 360, 480}
)

// instruments are all metrics of a process.
type instruments struct {
	runs, documents, retries, jobsFailed metric.Int64Counter
	lag, budgetLeft                      metric.Float64Histogram
}

func newInstruments(m metric.Meter) instruments {
	// An error would be of a name or a bound below.
	counter := func(name, unit, description string) metric.Int64Counter {
		c, _ := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
		return c
	}
	histogram := func(name, description string, bounds []float64) metric.Float64Histogram {
		h, _ := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
		return h
	}
	return instruments{
		runs:       counter("relationindex.runs", "{run}", "Runs of functions, by outcome."),
		documents:  counter("relationindex.documents", "{document}", "Documents read, written and deleted, as Firestore bills them."),
		retries:    counter("relationindex.retries", "{call}", "Calls to Firestore that failed and were made again."),
		jobsFailed: counter("relationindex.jobs.failed", "{job}", "Jobs that failed for good, by kind."),
		lag:        histogram("relationindex.lag", "From the time of an event until it was handled.", lagBounds),
		budgetLeft: histogram("relationindex.step.budget_left", "What was left of the time of a job's step when it ended.", budgetBounds),
	}
}

// run counts r, and makes no point for what is zero.
func (i *instruments) run(ctx context.Context, r Run) {
	function := attribute.String("function", r.Function)
	i.runs.Add(ctx, 1, metric.WithAttributes(function, attribute.String("outcome", r.Outcome)))
	for operation, n := range map[string]int64{"read": r.Reads, "write": r.Writes, "delete": r.Deletes} {
		if n > 0 {
			i.documents.Add(ctx, n, metric.WithAttributes(function, attribute.String("operation", operation)))
		}
	}
	if r.Retries > 0 {
		i.retries.Add(ctx, r.Retries, metric.WithAttributes(function))
	}
	if r.Lag != nil {
		i.lag.Record(ctx, r.Lag.Seconds(), metric.WithAttributes(function))
	}
	if r.BudgetLeft != nil {
		i.budgetLeft.Record(ctx, r.BudgetLeft.Seconds(), metric.WithAttributes(function))
	}
}
