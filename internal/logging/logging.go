// Package logging makes the project's loggers. Each record is one line of JSON, with the
// fields that Cloud Logging reads (severity, message). All attribute keys are named here.
package logging

import (
	"io"
	"log/slog"
)

// The attribute keys.
const (
	Changes  = "changes"  // of variables
	Damage   = "damage"   // fault of a document
	Delivery = "delivery" // relations or timelines
	Document = "document" // path of a document below the database, never its contents
	Error    = "error"
	EventID  = "eventId"
	Function = "function" // name in the trigger table
	Due      = "due"      // jobs that Sweep found
	Woken    = "woken"    // jobs of Due that Sweep queued again
	Failed   = "failed"   // jobs of Due that failed for good
	Newer    = "newer"    // jobs of Due that Sweep left to a newer release
	Status   = "status"   // of an HTTP answer
	Job      = "job"      // id of a job document
	Kind     = "kind"     // of that job
	Posts    = "posts"    // on a page of a feed
	Reason   = "reason"   // of a gap
	Rounds   = "rounds"   // how often that page queried its source
	Sampled  = "sampled"  // work of a sampling verify
	Until    = "until"    // when work that waits may begin
	Source   = "source"   // relations, pull or slice; "" if the request was rejected
)

// Run is the message of the line that sums up one run of a function. Filters in
// monitoring/ use this message and the keys below. The line has no user ids, except in
// paths that an error names.
const Run = "run"

// The keys of that line, beside Function, EventID and Error. Times are whole
// milliseconds; counts are of documents, as Firestore bills them.
const (
	Operation  = "operation"    // the run's operation, from the list in functions/operation.go
	Outcome    = "outcome"      // one of the outcomes in functions/run.go
	Duration   = "durationMs"   // from the request to the line
	Lag        = "lagMs"        // age of the event, if any; only this shows a redelivery
	Reads      = "reads"        // of this run, with its part of shared work
	Writes     = "writes"       // likewise
	Deletes    = "deletes"      // likewise
	Retries    = "retries"      // failed and retried calls to Firestore; absent if none
	Code       = "code"         // gRPC code of Error
	Hop        = "hop"          // of a job: hand-overs before this step
	BudgetLeft = "budgetLeftMs" // at the end of a job's step; below 0: it used its reserve
)

// New returns a logger that writes to w.
func New(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(runHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: cloudKeys})})
}

// cloudKeys renames slog's keys, and the level WARN, to the names of Cloud Logging.
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
