// Package audit_test holds the long tests of verify, repair and merging.
package audit_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
