// Package relations_test holds the long tests of relations.
package relations_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
