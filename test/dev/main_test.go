package dev

import (
	"testing"

	"example.com/relationindex/internal/testkit/program"
)

func TestMain(m *testing.M) { program.Main(m, nil) }
