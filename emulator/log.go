package emulator

import "log/slog"

// levelFailure is the level of a failed delivery: a function that fails is what somebody who develops it wants to see,
// and the delivery is repeated anyway.
const levelFailure = slog.LevelWarn

// The keys of the attributes of this package's log records.
const (
	keyProject = "project"
	keyTrigger = "trigger"
	keyEvent   = "eventId"
	keyAttempt = "attempt" // counted from 1
	keyStatus  = "status"  // of HTTP; 0 without an answer
	keyError   = "error"
	keyLogFile = "logFile"

	keyDocument = "document"
	keyBytes    = "bytes" // of an event
	keyLimit    = "limit" // in bytes
)
