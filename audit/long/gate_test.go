package audit_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

// unarmedGate lets everything pass until it is armed.
func unarmedGate(t testing.TB, match func(req any) bool) *testkit.Gate {
	g := testkit.NewGate(t, match)
	g.Armed.Store(false)
	return g
}
