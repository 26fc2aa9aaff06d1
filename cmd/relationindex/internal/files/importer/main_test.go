package importer_test

import (
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/files/edgelist"
	"example.com/relationindex/cmd/relationindex/internal/files/importer"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func followsOf(t testing.TB, text string) func(yield func(importer.Document, error) bool) {
	t.Helper()
	return importer.Follows("graph.txt", strings.NewReader(text), columns(t, importer.FollowColumns, "follower=1,followed=2"), names.Collections{})
}

func columns(t testing.TB, parse func(string) (edgelist.Columns, error), spec string) edgelist.Columns {
	t.Helper()
	c, err := parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
