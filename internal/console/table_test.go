package console

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	var out strings.Builder
	rows := [][]string{{"alice", "Good morning"}, {"зоя", "two\nlines\x1b[31m"}, {"", strings.Repeat("x", 61)}, {"bob", ""}}
	if err := Table(&out, "  ", []string{"AUTHOR", "TEXT"}, rows); err != nil {
		t.Fatal(err)
	}
	want := "  AUTHOR  TEXT\n" +
		"  alice   Good morning\n" +
		"  зоя     two lines [31m\n" +
		"          " + strings.Repeat("x", 60) + "…\n" +
		"  bob\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableKeepsSomeColumnsWhole(t *testing.T) {
	var out strings.Builder
	id := "post:\x1b[31m" + strings.Repeat("x", 100)
	if err := Table(&out, "", []string{"TEXT", "ID"}, [][]string{{id, id}}, 1); err != nil {
		t.Fatal(err)
	}
	clean := strings.ReplaceAll(id, "\x1b", " ")
	if lines := strings.Split(out.String(), "\n"); lines[1] != clean[:60]+"…  "+clean {
		t.Errorf("the row is %q", lines[1])
	}
}

func TestFields(t *testing.T) {
	var out strings.Builder
	fields := [][2]string{{"id", "a\x1bb"}, {"nothing", ""}, {"the error", "two\nlines"}, {"long", strings.Repeat("x", 61)}}
	if err := Fields(&out, fields); err != nil {
		t.Fatal(err)
	}
	want := "id         a b\n" +
		"the error  two\n" +
		"           lines\n" +
		"long       " + strings.Repeat("x", 61) + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
