// Package internal_test tests the small packages below this folder through what they export, with one emulator.
package internal_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.MainWithTokens(m) }
