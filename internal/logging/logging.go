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
	Duration = "duration"
	Due      = "due"    // jobs that Sweep found
	Woken    = "woken"  // of them, queued again
	Failed   = "failed" // of them, given up
	Status   = "status" // of an HTTP answer
	Posts    = "posts"  // on a page of a feed
	Rounds   = "rounds" // queries that it took
)

// New is a logger that writes to w.
func New(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: cloudKeys}))
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
