//go:build long

package functions_test

import (
	"testing"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/uses"
)

func TestOtherUses(t *testing.T) {
	t.Parallel()
	uses.RunOthers(t, testkit.InProcess{})
}
