package functions_test

import (
	"testing"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
	"example.com/relationindex/testkit/uses"
)

// app is a project of a test's own, with functions behind real triggers.
type app struct{ *testkit.App }

func newApp(t testing.TB, cfg schema.Config, interceptors ...wire.Interceptor) *app {
	t.Helper()
	return newAppOn(t, testkit.InProcess{Interceptors: interceptors}, cfg)
}

// openApp makes an app without triggers: its events are delivered by the test.
func openApp(t testing.TB, cfg schema.Config) *app {
	t.Helper()
	return &app{testkit.OpenApp(t, cfg)}
}

func newAppOn(t testing.TB, m testkit.InProcess, cfg schema.Config) *app {
	t.Helper()
	return &app{m.NewApp(t, cfg)}
}

// day is the time of most first posts.
var day = stories.Day

func TestMain(m *testing.M) { testkit.MainWithTokens(m) }

func TestStories(t *testing.T) {
	t.Parallel()
	stories.Run(t, testkit.InProcess{})
}

func TestUses(t *testing.T) {
	t.Parallel()
	uses.Run(t, testkit.InProcess{})
}

func TestAccountsOfTheAuthEmulator(t *testing.T) { // not in parallel: see InProcess.Start
	stories.RunAccounts(t, testkit.InProcess{})
}
