package testkit

import (
	"context"
	"time"
)

// NoWait is the chunker.Options.Wait of a test that looks at each failure of a step: a page
// that fails is not repeated in its step.
func NoWait(context.Context, time.Duration) bool { return false }
