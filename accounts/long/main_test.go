// Package accounts_test holds the long tests of accounts: purges that fail or are killed at any place.
package accounts_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
