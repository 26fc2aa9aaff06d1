package testkit

import (
	"regexp"
	"testing"
)

// everyCall matches the names of tests that use [Stride], as the Makefile's EVERY_CALL.
const everyCall = "Killed|ThatDies"

// Stride is how far apart the calls are at which a test makes a process fail, each in a run of
// its own: 1, which is every call. With -short, as make test has it, it is every seventh:
// make test-long runs these tests again without, by their names. Another name ends the test.
func Stride(tb testing.TB) int {
	tb.Helper()
	if !regexp.MustCompile(everyCall).MatchString(tb.Name()) {
		tb.Fatalf("%s: make test-long runs only tests named %s at every call", tb.Name(), everyCall)
	}
	if testing.Short() {
		return 7
	}
	return 1
}
