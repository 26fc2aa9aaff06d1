package testkit

import (
	"log/slog"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// ProjectID names a project of the test's own, another one at each call.
func ProjectID(tb testing.TB) string { return stories.ProjectID(tb) }

// Open opens the database of a project until the test ends, behind the guards
// for the project's indexes, which see what reaches the emulator.
func Open(tb testing.TB, project string, interceptors ...wire.Interceptor) *firestore.Client {
	tb.Helper()
	c, err := local.Open(tb.Context(), project, Machine(tb).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// OpenAt is Open at a host, without guards and of a project of the test's own: for
// tests of what clients are made of.
func OpenAt(tb testing.TB, host string, interceptors ...wire.Interceptor) *firestore.Client {
	tb.Helper()
	c, err := wire.Open(tb.Context(), ProjectID(tb), host, interceptors...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// Functions puts functions behind the triggers of a project, also in place of
// those with another configuration. What they log is the test's.
func Functions(tb testing.TB, project string, cfg schema.Config, interceptors ...wire.Interceptor) *local.Project {
	tb.Helper()
	p, err := Machine(tb).Project(tb.Context(), project, cfg, logging.New(tb.Output(), slog.LevelInfo), interceptors...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}
