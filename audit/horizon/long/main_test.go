// Package horizon_test holds the long tests of changes of the horizon.
package horizon_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
