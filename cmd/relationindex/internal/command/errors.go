package command

import (
	"errors"
	"fmt"
)

// UsageError is a mistake in the arguments. The program points to its help, and exits with 2.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the mistake itself.
func (e UsageError) Unwrap() error { return e.Err }

// Usage returns err as a [UsageError].
func Usage(err error) error { return UsageError{Err: err} }

// Usagef returns a [UsageError] with the text of fmt.Errorf.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// ErrReported is a failure that the output already shows. The program prints no more, and exits with 1.
var ErrReported = errors.New("reported")
