package functions

import (
	"slices"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/schema"
)

// operations has the name of each function's run, by the kind of change of the event's document. Log-based metrics count
// reads and writes by these words. So there are few words, and none comes from a client.
var operations = map[string]struct{ created, updated, deleted string }{
	"OnFollowerWritten": {"follow", "follow", "unfollow"},
	"OnPostWritten":     {"post", "edit", "delete-post"},
	"OnUserDeleted":     {"", "", "delete-account"},
	"OnBlockWritten":    {"block", "block", "unblock"},
	"OnUserWritten":     {"profile", "profile", "profile"},
	"OnSettingsWritten": {"settings", "settings", "settings"},
	"OnHiddenWritten":   {"hide", "hide", "unhide"},
	"OnRequestWritten":  {"request", "request", "unrequest"},
	"OnLikeWritten":     {"like", "like", "unlike"},
	"OnCommentWritten":  {"comment", "edit-comment", "delete-comment"},
}

// operation returns the word for a run: "follow", "page", "job:relations.post". It is "unknown" for an event that could
// not be decoded.
func operation(function string, c change) string {
	word := ""
	switch {
	case function == triggers.Sweep:
		word = "sweep"
	case function == triggers.Feed:
		word = "page"
	case c.before == nil && c.after == nil:
	case function == "OnJobWritten":
		word = "job"
		if kind := jobKind(c); slices.Contains(schema.Kinds, kind) { // a job's document may have another word
			word = "job:" + kind
		}
	case c.before == nil:
		word = operations[function].created
	case c.after == nil:
		word = operations[function].deleted
	default:
		word = operations[function].updated
	}
	if word == "" {
		return "unknown"
	}
	return word
}

// jobKind returns the kind of the job whose document has changed; "" if it has none.
func jobKind(c change) string {
	document := c.after
	if document == nil {
		document = c.before
	}
	return document.GetFields()["kind"].GetStringValue()
}
