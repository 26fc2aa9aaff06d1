//go:build long

package functions_test

import (
	"testing"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
	"example.com/relationindex/testkit/uses"
)

func TestOtherStories(t *testing.T) {
	t.Parallel()
	stories.RunOthers(t, testkit.InProcess{})
}

func TestOtherUses(t *testing.T) {
	t.Parallel()
	uses.RunOthers(t, testkit.InProcess{})
}
