package chunker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// panicked is the error of a panic.
type panicked struct {
	value any
	stack []byte
	tell  sync.Once
}

func (p *panicked) Error() string { return fmt.Sprintf("panicked: %v", p.value) }

// Guard calls work and returns its error. It returns a panic as an error that is
// [Permanent]: the same work would panic again. [LogPanic] logs its stack.
//
// Every goroutine that handles what clients wrote calls it first: a panic that
// nothing recovers ends the process, with the deliveries of everybody else.
func Guard(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Permanent(&panicked{value: r, stack: debug.Stack()})
		}
	}()
	return work()
}

// LogPanic logs the stack of the panic in err, if there is one: once, however
// many get the error. Many events may wait for it, and a job stores it.
func LogPanic(ctx context.Context, logger *slog.Logger, err error) {
	if p, ok := errors.AsType[*panicked](err); ok {
		p.tell.Do(func() { logger.ErrorContext(ctx, "panic", keyError, err, keyStack, string(p.stack)) })
	}
}
