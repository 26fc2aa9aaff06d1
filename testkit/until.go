package testkit

import (
	"testing"
	"time"
)

// patience is the longest wait for a condition, on a busy machine.
const patience = 5 * time.Minute

// Until waits until a condition is true, for five minutes at most. A test that hung until the deadline
// of its package would lose the results of all other tests.
func Until(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline.C:
			tb.Fatal("no sign of", what)
		}
	}
}
