// Package importer_test holds the long tests of importer.
package importer_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
