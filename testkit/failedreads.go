package testkit

import (
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
)

// FailReads calls do for one process after another. In each process, a read fails at a place in the
// code where none has failed yet, and do must return an error. In the last process, no read fails, and
// do must finish the work of the earlier ones. The clock of each process is ahead of those before, so
// that jobs go on.
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

// Process is a process with one failing read.
type Process struct {
	wire.Interceptor
	Failed func() string // returns the place; "": no read has failed yet
	Ahead  time.Duration // how far its clock is ahead
}
