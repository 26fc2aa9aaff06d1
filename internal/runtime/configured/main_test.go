package configured_test

import (
	"testing"

	"example.com/relationindex/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
