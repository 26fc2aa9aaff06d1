package dev

import (
	"testing"

	"example.com/relationindex/testkit/program"
)

func TestMain(m *testing.M) { program.Main(m, nil) }
