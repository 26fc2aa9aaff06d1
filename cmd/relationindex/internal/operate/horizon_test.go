package operate

import (
	"testing"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
)

func TestHorizonChangeAsText(t *testing.T) {
	for want, done := range map[string]horizon.Changed{
		"no repair was needed for a shorter horizon\n": {Shorter: true},
		"3 relations have a new expireAt\n":            {Renewed: 3},
		"3 relations have a new expireAt\nrepaired: 2 violations before, 0 after\n": {
			Renewed: 3, Repair: true, Repaired: repair.Repaired{Before: verify.Verified{Violations: 2}},
		},
	} {
		if got := did(done); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
