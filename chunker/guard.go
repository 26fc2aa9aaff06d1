package chunker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// panicked is the error for a panic.
type panicked struct {
	value any
	stack []byte
	tell  sync.Once
}

func (p *panicked) Error() string { return fmt.Sprintf("panicked: %v", p.value) }

// Guard calls work and returns its error. It returns a panic as a [Permanent] error,
// because the same work would panic again. [LogPanic] logs the stack.
//
// Every goroutine that handles clients' data must call Guard first. An unrecovered panic ends the process, and
// with it the deliveries of all other events.
func Guard(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Permanent(&panicked{value: r, stack: debug.Stack()})
		}
	}()
	return work()
}

// LogPanic logs the stack of the panic in err, if there is one, and only once for each
// panic. Many events may wait for the same error, and a job stores it.
func LogPanic(ctx context.Context, logger *slog.Logger, err error) {
	if p, ok := errors.AsType[*panicked](err); ok {
		p.tell.Do(func() { logger.ErrorContext(ctx, "panic", keyError, err, keyStack, string(p.stack)) })
	}
}
