package functions

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// outcome is how a run of a function ended.
type outcome string

const (
	done    outcome = "done"    // handled, or answered
	nothing outcome = "nothing" // handled, with nothing to write, as when an event comes twice
	dropped outcome = "dropped" // acknowledged without its work: a retry cannot help
	skipped outcome = "skipped" // the same, for an id from which nothing is derived: anybody may write such an id
	newer   outcome = "newer"   // redelivered, to a newer release: see chunker.ErrNewer
	failed  outcome = "failed"  // redelivered; Sweep and Feed: answered with a server error
	refused outcome = "refused" // Feed: answered with a client error
	gone    outcome = "gone"    // Feed: the client left before the answer
)

// errPanicked is the error of work that has not returned.
var errPanicked = errors.New("panic")

// outcomeOf returns the outcome of an event, by its handler's error and
// the operations used.
func outcomeOf(err error, used wire.Counts) outcome {
	switch {
	case err == nil && used.Writes+used.Deletes == 0:
		return nothing
	case err == nil:
		return done
	case errors.Is(err, schema.ErrBadDocument) && errors.Is(err, schema.ErrBadID):
		return skipped
	case errors.Is(err, errMalformed), errors.Is(err, schema.ErrBadDocument):
		return dropped
	case errors.Is(err, chunker.ErrNewer):
		return newer
	default:
		return failed
	}
}

// reporter logs one line for each run.
type reporter struct{ logger *slog.Logger }

// run is one call of a function, from its request to its answer.
type run struct {
	*reporter
	function string
	eventID  string    // "": no event called it
	at       time.Time // of the event; zero: no event, or an event without a time
	started  time.Time
	meter    *wire.Meter

	change change   // the event
	ids    []string // of its document and the documents above

	// Set for a step of a job.
	hop    *int64
	budget *chunker.Budget
}

// begin starts a run. Calls to Firestore under the returned context are
// counted for this run.
func (p *reporter) begin(ctx context.Context, function string) (context.Context, *run) {
	ctx, meter := wire.WithMeter(ctx)
	return ctx, &run{reporter: p, function: function, started: time.Now(), meter: meter}
}

// end logs the one line of a run, just before the answer: its outcome and counts, its
// error if any, and the function's own attributes.
func (r *run) end(ctx context.Context, o outcome, err error, more ...slog.Attr) {
	now, used := time.Now(), r.meter.Counts()
	attrs := []slog.Attr{
		slog.String(logging.Function, r.function), slog.String(logging.Operation, operation(r.function, r.change)), slog.String(logging.Outcome, string(o)),
		slog.Int64(logging.Duration, now.Sub(r.started).Milliseconds()),
		slog.Int64(logging.Reads, used.Reads), slog.Int64(logging.Writes, used.Writes), slog.Int64(logging.Deletes, used.Deletes),
	}
	if r.eventID != "" {
		attrs = append(attrs, slog.String(logging.EventID, r.eventID))
	}
	if !r.at.IsZero() {
		lag := max(0, now.Sub(r.at)) // two clocks may disagree
		attrs = append(attrs, slog.Int64(logging.Lag, lag.Milliseconds()))
	}
	if used.Retries > 0 {
		attrs = append(attrs, slog.Int64(logging.Retries, used.Retries))
	}
	if r.hop != nil {
		attrs = append(attrs, slog.Int64(logging.Hop, *r.hop))
	}
	if r.budget != nil && used.Writes+used.Deletes > 0 { // a step ran
		attrs = append(attrs, slog.Int64(logging.BudgetLeft, r.budget.Left().Milliseconds()))
	}
	attrs = append(attrs, more...)
	if err != nil {
		attrs = append(attrs, slog.String(logging.Code, status.Code(err).String()), slog.Any(logging.Error, err))
	}
	r.logger.LogAttrs(ctx, r.level(o, err), logging.Run, attrs...) //nolint:sloglint // a constant; the linter knows those of this package alone
}

// level returns the severity of a run's line. It is ERROR if nothing repeats the run, or
// if retries fail until a damaged document is mended.
func (r *run) level(o outcome, err error) slog.Level {
	switch {
	case o == failed && errors.Is(err, schema.ErrDamaged), o == dropped, o == failed && r.eventID == "":
		return slog.LevelError
	case o == failed, o == skipped:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}
