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

// Machine runs functions for databases of the Firestore emulator. Its methods are
// called by several tests at once, each with a project of its own.
type Machine interface {
	// Open opens the database of a project, which is empty, for a test's own reads and writes,
	// which interceptors see.
	Open(ctx context.Context, project string, interceptors ...wire.Interceptor) (*firestore.Client, error)
	// Start puts functions behind the triggers of a project, until the test ends.
	// cfg lacks the project and the emulator's host.
	Start(t testing.TB, project string, cfg schema.Config) (System, error)
}

// System is the functions of one project.
type System interface {
	// Idle waits until no event and no job is under way.
	Idle(ctx context.Context) error
	// URL is where a function takes requests.
	URL(function string) string
	// Stats counts the events.
	Stats() emulator.Stats
}

// twice is the word in a project's name by which Plan delivers events twice.
const twice = "twice"

// Plan is [emulator.Options.Plan] of a machine. It delivers every event of a
// project whose name says "twice", as those of tests with that name do, a second
// time while the first is under way or after it.
func Plan(e emulator.Event) []emulator.Attempt {
	if !strings.Contains(e.Project, twice) {
		return nil
	}
	return []emulator.Attempt{{}, {After: time.Duration(len(e.ID)+int(e.ID[0])) * time.Millisecond}}
}
