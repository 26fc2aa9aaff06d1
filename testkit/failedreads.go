package testkit

import (
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
)

// FailReads calls do for one process after the other. In each, a read fails at a place in
// the code where none has failed yet: do must say so. The last process reads everything,
// and must end what the others began. Its clock is ahead of theirs, so that jobs go on.
func FailReads(t *testing.T, do func(Process) error) {
	t.Helper()
	var places faults.Places
	for n := 0; ; n++ {
		interceptor, failed := places.Process()
		err := do(Process{interceptor, failed, time.Duration(n) * 10 * chunker.DefaultLease})
		if failed() == "" {
			if err != nil {
				t.Errorf("after reads failed at %d places: %v", n, err)
			}
			t.Logf("reads failed at %d places", n)
			return
		}
		if err == nil {
			t.Errorf("the read failed, and nothing says so: %s", failed())
		}
	}
}

// Process is one whose reads fail at one place.
type Process struct {
	wire.Interceptor
	Failed func() string // the place; "": not yet
	Ahead  time.Duration // of its clock
}
