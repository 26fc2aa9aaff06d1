package functions

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/relations"
)

// outcome is how a run of a function ended.
type outcome string

const (
	done    outcome = "done"    // handled, or answered
	nothing outcome = "nothing" // handled, and there was nothing to write; an event that comes again ends so
	dropped outcome = "dropped" // acknowledged undone: a retry cannot help
	busy    outcome = "busy"    // comes again: another step has the job, its retry time has not come, or a newer release wrote it
	failed  outcome = "failed"  // comes again; Sweep and Feed: answered with an error of ours
	refused outcome = "refused" // Feed: answered with an error of the client's
	gone    outcome = "gone"    // Feed: the client did not wait for the answer
)

// errPanicked stands for the error of work that has not returned.
var errPanicked = errors.New("panic")

// outcomeOf is the outcome of an event by the error of its handler.
func outcomeOf(err error, used wire.Counts) outcome {
	switch {
	case err == nil && used.Writes+used.Deletes == 0:
		return nothing
	case err == nil:
		return done
	case errors.Is(err, errMalformed), errors.Is(err, relations.ErrBadDocument):
		return dropped
	case errors.Is(err, chunker.ErrBusy), errors.Is(err, chunker.ErrNewer):
		return busy
	default:
		return failed
	}
}

// reporter tells of runs: a line in the log for each.
type reporter struct{ logger *slog.Logger }

// run is one call of a function, from its request to its answer.
type run struct {
	*reporter
	function string
	eventID  string    // "": no event called it
	at       time.Time // of the event; zero: no event, or it does not say
	started  time.Time
	meter    *wire.Meter

	change change   // the event
	ids    []string // of its document and of those above it

	// Of a step of a job.
	hop    *int64
	budget *chunker.Budget
}

// begin starts a run: the calls under the context that it returns are its.
func (p *reporter) begin(ctx context.Context, function string) (context.Context, *run) {
	ctx, meter := wire.WithMeter(ctx)
	return ctx, &run{reporter: p, function: function, started: time.Now(), meter: meter}
}

// end tells of a run that is about to be answered: one line, whatever the
// outcome, with the error if there is one, and with what else the function has to say.
func (r *run) end(ctx context.Context, o outcome, err error, more ...slog.Attr) {
	now, used := time.Now(), r.meter.Counts()
	attrs := []slog.Attr{
		slog.String(logging.Function, r.function), slog.String(logging.Outcome, string(o)),
		slog.Int64(logging.Duration, now.Sub(r.started).Milliseconds()),
		slog.Int64(logging.Reads, used.Reads), slog.Int64(logging.Writes, used.Writes), slog.Int64(logging.Deletes, used.Deletes),
	}
	if r.eventID != "" {
		attrs = append(attrs, slog.String(logging.EventID, r.eventID))
	}
	if !r.at.IsZero() {
		lag := max(0, now.Sub(r.at)) // the clocks are two
		attrs = append(attrs, slog.Int64(logging.Lag, lag.Milliseconds()))
	}
	if used.Retries > 0 {
		attrs = append(attrs, slog.Int64(logging.Retries, used.Retries))
	}
	if r.hop != nil {
		attrs = append(attrs, slog.Int64(logging.Hop, *r.hop))
	}
	if r.budget != nil && used.Writes+used.Deletes > 0 { // there was a step
		attrs = append(attrs, slog.Int64(logging.BudgetLeft, r.budget.Left().Milliseconds()))
	}
	attrs = append(attrs, more...)
	if err != nil {
		attrs = append(attrs, slog.String(logging.Code, status.Code(err).String()), slog.Any(logging.Error, err))
	}
	r.logger.LogAttrs(ctx, r.level(o, err), logging.Run, attrs...) //nolint:sloglint // a constant; the linter knows those of this package alone
}

// level is the severity of a run's line: an error for what nothing will repeat,
// and for what repeats in vain until a document of ours is mended.
func (r *run) level(o outcome, err error) slog.Level {
	switch {
	case o == failed && errors.Is(err, relations.ErrDamaged), o == dropped, o == failed && r.eventID == "":
		return slog.LevelError
	case o == failed:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}
