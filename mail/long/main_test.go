// Package mail_test holds the long tests of mail.
package mail_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
