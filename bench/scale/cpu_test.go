package scale

import (
	"testing"

	"example.com/relationindex/bench/internal/machine"
)

func cpuNow(tb testing.TB) machine.CPU {
	tb.Helper()
	now, err := machine.Now()
	if err != nil {
		tb.Fatal(err)
	}
	return now
}
