package emulator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

var (
	// ErrNotInstalled means that the emulator's jar or Java was not found. The error's text says where it was
	// looked for and how to get it.
	ErrNotInstalled = errors.New("the Firestore emulator is not installed")

	// ErrClosed means that the emulator was closed, or its context ended.
	ErrClosed = errors.New("emulator closed")

	// ErrEnded means that the emulator ended without being asked to, or does not answer any more: see its log file.
	ErrEnded = errors.New("the Firestore emulator ended")

	// ErrUnknownProject means that no trigger was registered for the database.
	ErrUnknownProject = errors.New("project has no triggers")

	// errDropped means that Options.Plan lost the attempt.
	errDropped = errors.New("dropped by the plan")

	// errMalformed means that a request of the emulator is not a Firestore event.
	errMalformed = errors.New("malformed event")
)

// NotIdleError says what kept [Broker.Idle] waiting until its context ended.
type NotIdleError struct {
	// Triggers are the triggers that have deliveries outstanding, ordered by database and name.
	Triggers []TriggerLoad `json:"triggers,omitempty"`

	// Busy has the last words of [Options.Busy] for each database that is busy, by its [Name].
	Busy map[string]string `json:"busy,omitempty"`

	// Emulator is true when the emulator was asked whether it still holds events and had not answered yet.
	Emulator bool `json:"emulator,omitempty"`

	// Err is why the wait ended: the context's error.
	Err error `json:"-"`
}

// TriggerLoad is what one trigger has outstanding.
type TriggerLoad struct {
	Project  string `json:"project"` // the [Name] of the database
	Trigger  string `json:"trigger"`
	Queued   int    `json:"queued"`   // to be delivered as soon as there is room
	InFlight int    `json:"inFlight"` // at the function
	Waiting  int    `json:"waiting"`  // for their planned or their redelivery time
}

// Error names every trigger with its counts and the words of every busy database, on one line.
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

// Unwrap returns Err, so that errors.Is finds [context.DeadlineExceeded].
func (e *NotIdleError) Unwrap() error { return e.Err }
