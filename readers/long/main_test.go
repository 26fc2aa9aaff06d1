// Package readers_test holds the long tests of what readers decide.
package readers_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
