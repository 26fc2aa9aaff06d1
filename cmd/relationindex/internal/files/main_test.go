package files_test

import (
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func columnsOf(t testing.TB, k files.Kind, spec string) rows.Columns {
	t.Helper()
	c, err := k.Columns(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
