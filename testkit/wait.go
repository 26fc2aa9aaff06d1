package testkit

import (
	"context"
	"time"
)

// NoWait is the chunker.Options.Wait of tests that examine each failure of a step: the step does not
// repeat a failed page.
func NoWait(context.Context, time.Duration) bool { return false }
