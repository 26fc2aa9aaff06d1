package chunker

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Guard calls work and returns its error. It returns a panic as an error that is
// [Permanent]: the same work would panic again. The stack is logged here, once:
// many events may wait for the error, and a job stores it.
//
// Every goroutine that handles what clients wrote calls it first: a panic that
// nothing recovers ends the process, with the deliveries of everybody else.
func Guard(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Permanent(fmt.Errorf("panicked: %v", r))
			slog.Error("panic", keyError, err, keyStack, string(debug.Stack()))
		}
	}()
	return work()
}
