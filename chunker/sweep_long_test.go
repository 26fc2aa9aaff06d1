//go:build long

package chunker_test

import "testing"

// Fifty thousand purges wait for six turns, before a count, an act over its hour and a dead step.
func TestSweepReadsFiftyThousandPurgesInParts(t *testing.T) {
	t.Parallel()
	readsALine(t, 50_000, 3)
}
