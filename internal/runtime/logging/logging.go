// Package logging makes the loggers of the project: one line of JSON for each
// record, in the shape that Cloud Logging reads (severity, message), with
// attribute keys that are all named here.
package logging

import (
	"io"
	"log/slog"
)

// The attribute keys.
const (
	Damage   = "damage"   // what is wrong with a document
	Document = "document" // path of a document below the database, never its contents
	Error    = "error"
	EventID  = "eventId"
	Function = "function" // name in the trigger table
	Due      = "due"      // jobs that Sweep found
	Woken    = "woken"    // of them, queued again
	Failed   = "failed"   // of them, given up
	Newer    = "newer"    // of them, left to a newer release
	Status   = "status"   // of an HTTP answer
	Posts    = "posts"    // on a page of a feed
	Rounds   = "rounds"   // queries that it took
)

// Run is the message of the line that sums up one run of a function. Filters
// of monitoring/ go by it and by the keys below, and no line of a run has the id
// of a user but in the paths that an error names.
const Run = "run"

// The keys of that line, beside Function, EventID and Error. Times are whole
// milliseconds; counts are of documents, as Firestore bills them.
const (
	Outcome    = "outcome"      // one of the words in functions/run.go
	Duration   = "durationMs"   // from the request to the line
	Lag        = "lagMs"        // from the time of the event to the line; only of events. A delivery that is not the first shows only by its age
	Reads      = "reads"        // of this run, and its part of what it shared with others
	Writes     = "writes"       // likewise
	Deletes    = "deletes"      // likewise
	Retries    = "retries"      // calls to Firestore that failed and were made again; only if there were any
	Code       = "code"         // gRPC's word for Error
	Hop        = "hop"          // of a job: steps before this one
	BudgetLeft = "budgetLeftMs" // of a step of a job, when it ended; below 0 it has run into its reserve
)

// New is a logger that writes to w.
func New(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(runHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: cloudKeys})})
}

// cloudKeys renames slog's own keys to Cloud Logging's, and WARN to its WARNING.
func cloudKeys(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch a.Key {
	case slog.MessageKey:
		a.Key = "message"
	case slog.LevelKey:
		a.Key = "severity"
		if level, ok := a.Value.Any().(slog.Level); ok && level == slog.LevelWarn {
			a.Value = slog.StringValue("WARNING")
		}
	}
	return a
}
