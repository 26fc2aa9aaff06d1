package stories

import (
	"context"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// Machine runs functions for databases of the Firestore emulator. Several tests may call its methods
// at once, each with its own project.
type Machine interface {
	// Open opens the empty database of a project, for the test's own reads and writes. Interceptors see
	// these.
	Open(ctx context.Context, project string, interceptors ...wire.Interceptor) (*firestore.Client, error)
	// Start puts functions behind the triggers of a project, until the test ends.
	// cfg lacks the project and the emulator's host.
	Start(t testing.TB, project string, cfg schema.Config) (System, error)
}

// System is the functions of one project.
type System interface {
	// Idle waits until no event and no job is under way.
	Idle(ctx context.Context) error
	// URL returns the address where a function accepts requests.
	URL(function string) string
	// Stats counts the events.
	Stats() emulator.Stats
}

// twice is a word in project names: Plan delivers the events of such projects twice.
const twice = "twice"

// Plan is [emulator.Options.Plan] of a machine. In a project whose name says "twice", it delivers
// every event a second time, during or after the first delivery. Tests with that word in their name
// have such projects.
func Plan(e emulator.Event) []emulator.Attempt {
	if !strings.Contains(e.Project, twice) {
		return nil
	}
	return []emulator.Attempt{{}, {After: time.Duration(len(e.ID)+int(e.ID[0])) * time.Millisecond}}
}
