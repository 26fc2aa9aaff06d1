package emulator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

var (
	// ErrNotInstalled means that the emulator's jar or Java was not found. The error's
	// text lists the places and says how to get them.
	ErrNotInstalled = errors.New("the Firestore emulator is not installed")

	// ErrClosed means that the emulator was closed, or its context ended.
	ErrClosed = errors.New("emulator closed")

	// ErrEnded means that the emulator exited unexpectedly, or no longer answers: see its
	// log file.
	ErrEnded = errors.New("the Firestore emulator ended")

	// ErrUnknownProject means that no trigger was registered for the database.
	ErrUnknownProject = errors.New("project has no triggers")

	// errDropped means that Options.Plan lost the attempt.
	errDropped = errors.New("dropped by the plan")

	// errMalformed means that a request of the emulator is not a Firestore event.
	errMalformed = errors.New("malformed event")
)

// NotIdleError says what [Broker.Idle] was waiting for when its context ended.
type NotIdleError struct {
	// Triggers are the triggers that have deliveries outstanding, ordered by database and name.
	Triggers []TriggerLoad `json:"triggers,omitempty"`

	// Busy has the last answer of [Options.Busy] for each busy database, by its [Name].
	Busy map[string]string `json:"busy,omitempty"`

	// Emulator reports whether the emulator may still hold events.
	Emulator bool `json:"emulator,omitempty"`

	// Err is the context's error.
	Err error `json:"-"`
}

// TriggerLoad counts the outstanding deliveries of one trigger.
type TriggerLoad struct {
	Project  string `json:"project"` // the [Name] of the database
	Trigger  string `json:"trigger"`
	Queued   int    `json:"queued"`   // start as soon as the trigger's concurrency allows
	InFlight int    `json:"inFlight"` // at the function
	Waiting  int    `json:"waiting"`  // for their planned or their redelivery time
}

// Error returns one line with the counts of every trigger and every busy database.
func (e *NotIdleError) Error() string {
	var parts []string
	for _, t := range e.Triggers {
		parts = append(parts, fmt.Sprintf("%s/%s has %d queued, %d in flight, %d waiting",
			t.Project, t.Trigger, t.Queued, t.InFlight, t.Waiting))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Busy)) {
		parts = append(parts, fmt.Sprintf("%s is busy: %s", name, e.Busy[name]))
	}
	if e.Emulator {
		parts = append(parts, "the emulator may still hold events")
	}
	if len(parts) == 0 {
		parts = append(parts, "events were still arriving")
	}
	return fmt.Sprintf("not idle: %s: %v", strings.Join(parts, "; "), e.Err)
}

// Unwrap returns Err, such as [context.DeadlineExceeded].
func (e *NotIdleError) Unwrap() error { return e.Err }
