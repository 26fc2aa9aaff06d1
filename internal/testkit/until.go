package testkit

import (
	"testing"
	"time"
)

// Until waits for what must come true, as long as the test has.
func Until(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-tb.Context().Done():
			tb.Fatal("no sign of", what)
		}
	}
}
