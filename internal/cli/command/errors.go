package command

import (
	"errors"
	"fmt"
)

// UsageError is a mistake in what was asked for: the help helps.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the mistake itself.
func (e UsageError) Unwrap() error { return e.Err }

// Usage makes an error a mistake in what was asked for.
func Usage(err error) error { return UsageError{Err: err} }

// Usagef is [Usage] of what fmt.Errorf makes.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// ErrReported is a failure that the output has told already.
var ErrReported = errors.New("reported")
