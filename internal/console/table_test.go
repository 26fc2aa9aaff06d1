package console

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	var out strings.Builder
	rows := [][]string{{"alice", "Good morning"}, {"зоя", "two\nlines\x1b[31m"}, {"", strings.Repeat("x", 61)}}
	if err := Table(&out, "  ", []string{"AUTHOR", "TEXT"}, rows); err != nil {
		t.Fatal(err)
	}
	want := "  AUTHOR  TEXT\n" +
		"  alice   Good morning\n" +
		"  зоя     two lines [31m\n" +
		"          " + strings.Repeat("x", 60) + "…\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
