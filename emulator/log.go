package emulator

import "log/slog"

// levelFailure is the level of a failed delivery, which is repeated anyway.
const levelFailure = slog.LevelWarn

// The keys of the attributes of this package's log records.
const (
	keyProject = "project"
	keyTrigger = "trigger"
	keyEvent   = "eventId"
	keyAttempt = "attempt" // counted from 1
	keyStatus  = "status"  // of HTTP; 0: no answer
	keyError   = "error"
	keyLogFile = "logFile"

	keyDocument = "document"
	keyBytes    = "bytes" // of an event
	keyLimit    = "limit" // in bytes
)
