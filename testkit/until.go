package testkit

import (
	"testing"
	"time"
)

// patience is how long what must come true may take on a machine with other things to do.
const patience = 5 * time.Minute

// Until waits for what must come true. A test that hung until its package's
// deadline would take every other's result with it.
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
