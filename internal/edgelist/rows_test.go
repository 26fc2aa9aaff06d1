package edgelist

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// outcome is what Rows yields for one line, in a form that can be compared.
type outcome struct {
	Line int
	A, B string // two required columns
	C    string // an optional one
	Err  string // of a RowError; Line is then its line
}

// readAll returns what Rows yields for the columns "a=1,b=2,c=4" of r, and the
// error that ended the walk, if one did.
func readAll(t *testing.T, r io.Reader) (all []outcome, end error) {
	t.Helper()
	columns := mustParseColumns(t, "a=1,b=2,c=4", []string{"a", "b"}, "c", "d")
	for row, err := range Rows("graph.txt", r, columns) {
		if end != nil {
			t.Fatalf("the walk goes on after %v", end)
		}
		bad, isRow := errors.AsType[*RowError](err)
		switch {
		case isRow:
			all = append(all, outcome{Line: bad.Line, Err: bad.Error()})
		case err != nil:
			end = err
		default:
			if got := row.Get("d") + row.Get("unknown"); got != "" {
				t.Errorf("names without a column have the value %q", got)
			}
			all = append(all, outcome{Line: row.Line, A: row.Get("a"), B: row.Get("b"), C: row.Get("c")})
		}
	}
	return all, end
}

func TestRows(t *testing.T) {
	longest := strings.Repeat("x", MaxLineBytes-len("1 "))
	tests := []struct {
		name string
		text string
		want []outcome
	}{
		{name: "empty file", text: ""},
		{name: "only a byte order mark", text: "\ufeff"},
		{name: "one line end", text: "\n"},
		{
			name: "spaces and tabs", text: "1 2\n3\t4\n  5 \t 6 \t\n",
			want: []outcome{{Line: 1, A: "1", B: "2"}, {Line: 2, A: "3", B: "4"}, {Line: 3, A: "5", B: "6"}},
		},
		{
			name: "the optional column", text: "1 2 3 4 5\n1 2 3\n1,2,3,\n",
			want: []outcome{{Line: 1, A: "1", B: "2", C: "4"}, {Line: 2, A: "1", B: "2"}, {Line: 3, A: "1", B: "2"}},
		},
		{
			name: "no line end at the end", text: "1 2\n3 4",
			want: []outcome{{Line: 1, A: "1", B: "2"}, {Line: 2, A: "3", B: "4"}},
		},
		{
			name: "CRLF", text: "# x\r\n1 2\r\n\r\n3,4\r\n5,\"6\"\r\n7 8\r",
			want: []outcome{{Line: 2, A: "1", B: "2"}, {Line: 4, A: "3", B: "4"}, {Line: 5, A: "5", B: "6"}, {Line: 6, A: "7", B: "8"}},
		},
		{
			name: "comments and blank lines are counted", text: "# x\n \t\n\t# y\n1 2\n1 #2\n\"#1\",2\n",
			want: []outcome{{Line: 4, A: "1", B: "2"}, {Line: 5, A: "1", B: "#2"}, {Line: 6, A: "#1", B: "2"}},
		},
		{
			name: "byte order mark", text: "\ufeff1 2\n",
			want: []outcome{{Line: 1, A: "1", B: "2"}},
		},
		{
			name: "byte order mark before a comment", text: "\ufeff# x\n1 2\n",
			want: []outcome{{Line: 2, A: "1", B: "2"}},
		},
		{
			name: "commas", text: "1,2\n 1 \t, 2 \n1 2,3\n1,2,,4\n",
			want: []outcome{{Line: 1, A: "1", B: "2"}, {Line: 2, A: "1", B: "2"}, {Line: 3, A: "1 2", B: "3"}, {Line: 4, A: "1", B: "2", C: "4"}},
		},
		{
			name: "quotes", text: `"1","2"` + "\n" + ` "a,b" ,"c ""d"" "` + "\n" + `" ",""""` + "\n",
			want: []outcome{{Line: 1, A: "1", B: "2"}, {Line: 2, A: "a,b", B: `c "d" `}, {Line: 3, A: " ", B: `"`}},
		},
		{
			name: "quotes mean nothing without a comma", text: `"1 2"` + "\n",
			want: []outcome{{Line: 1, A: `"1`, B: `2"`}},
		},
		{
			name: "other white space of Unicode is part of a value", text: "1\u00a0\u2003 2\v\f\n",
			want: []outcome{{Line: 1, A: "1\u00a0\u2003", B: "2\v\f"}},
		},
		{
			name: "the longest line", text: "1 " + longest + "\r\n3 4\n",
			want: []outcome{{Line: 1, A: "1", B: longest}, {Line: 2, A: "3", B: "4"}},
		},
		{
			name: "the longest line after a byte order mark", text: "\ufeff1 " + longest + "\r\n3 4\n",
			want: []outcome{{Line: 1, A: "1", B: longest}, {Line: 2, A: "3", B: "4"}},
		},
		{
			name: "a long comment", text: "# " + strings.Repeat("x", 3*MaxLineBytes) + "\n1 2\n",
			want: []outcome{{Line: 2, A: "1", B: "2"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all, end := readAll(t, strings.NewReader(test.text))
			if end != nil {
				t.Errorf("ended with %v", end)
			}
			if diff := cmp.Diff(test.want, all); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			all, _ = readAll(t, iotest.OneByteReader(strings.NewReader(test.text)))
			if diff := cmp.Diff(test.want, all); diff != "" {
				t.Errorf("rows, byte by byte (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRowsGoesOnAfterABadLine(t *testing.T) {
	quoted80 := `"\"` + strings.Repeat("x", 79) + `"...`
	tests := []struct {
		name string
		line string
		want string
	}{
		{name: "one column", line: "1", want: "graph.txt:1: 1 column, need 2 (b=2)"},
		{name: "no second column, but a comment", line: "1#2", want: "graph.txt:1: 1 column, need 2 (b=2)"},
		{name: "empty first column", line: ",2", want: "graph.txt:1: column 1 is empty (a=1)"},
		{name: "empty last column", line: "1,", want: "graph.txt:1: column 2 is empty (b=2)"},
		{name: "empty quotes", line: `1,""`, want: "graph.txt:1: column 2 is empty (b=2)"},
		{name: "open quote", line: `1,"2`, want: `graph.txt:1: quote not closed on its line: "1,\"2"`},
		{name: "open doubled quote", line: `1,"2""`, want: `graph.txt:1: quote not closed on its line: "1,\"2\"\""`},
		{name: "text after a quote", line: `"1"x,2`, want: `graph.txt:1: text after a closing quote: "\"1\"x,2"`},
		{name: "quote inside a value", line: `1,2"3`, want: `graph.txt:1: quote inside a value that does not start with one: "1,2\"3"`},
		{name: "a long excerpt", line: `"` + strings.Repeat("x", 200) + ",", want: "graph.txt:1: quote not closed on its line: " + quoted80},
		{name: "UTF-16", line: "\xff\xfe1\x00 \x002\x00", want: "graph.txt:1: NUL byte: not text, or text in UTF-16"},
		{name: "one byte too long", line: "1 " + strings.Repeat("x", MaxLineBytes-1), want: "graph.txt:1: line longer than 65536 bytes"},
		{name: "as long as the buffer", line: "1 " + strings.Repeat("x", MaxLineBytes+3), want: "graph.txt:1: line longer than 65536 bytes"},
		{name: "far too long", line: "1 " + strings.Repeat("x", 5*MaxLineBytes), want: "graph.txt:1: line longer than 65536 bytes"},
		{name: "blanks, too many", line: strings.Repeat(" ", 5*MaxLineBytes), want: "graph.txt:1: line longer than 65536 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := []outcome{{Line: 1, Err: test.want}, {Line: 2, A: "3", B: "4"}}
			for _, lineEnd := range []string{"\n", "\r\n"} {
				all, end := readAll(t, strings.NewReader(test.line+lineEnd+"3 4"))
				if diff := cmp.Diff(want, all); diff != "" || end != nil {
					t.Errorf("line end %q: ended with %v, rows (-want +got):\n%s", lineEnd, end, diff)
				}
			}
			all, end := readAll(t, strings.NewReader(test.line))
			if diff := cmp.Diff(want[:1], all); diff != "" || end != nil {
				t.Errorf("last line: ended with %v, rows (-want +got):\n%s", end, diff)
			}
		})
	}
}

func TestRowsTakesNoHalfLineForARow(t *testing.T) {
	// It wraps io.EOF, as a careless reader might: it still is not the end.
	broken := fmt.Errorf("disk on fire: %w", io.EOF)
	long := "1 " + strings.Repeat("x", 2*MaxLineBytes)
	tests := []struct {
		name string
		text string // what can be read before the error
		want []outcome
		end  string
	}{
		{name: "at the start", text: "", end: "graph.txt: after line 0: disk on fire: EOF"},
		{
			name: "between lines", text: "1 2\n3 4\n",
			want: []outcome{{Line: 1, A: "1", B: "2"}, {Line: 2, A: "3", B: "4"}},
			end:  "graph.txt: after line 2: disk on fire: EOF",
		},
		{
			name: "within a line", text: "1 2\n3 45",
			want: []outcome{{Line: 1, A: "1", B: "2"}},
			end:  "graph.txt: after line 1: disk on fire: EOF",
		},
		{
			name: "within a long line", text: long,
			want: []outcome{{Line: 1, Err: "graph.txt:1: line longer than 65536 bytes"}},
			end:  "graph.txt: after line 1: disk on fire: EOF",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all, end := readAll(t, io.MultiReader(strings.NewReader(test.text), iotest.ErrReader(broken)))
			if diff := cmp.Diff(test.want, all); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if !errors.Is(end, broken) || errorText(end) != test.end {
				t.Errorf("ended with %v, want %s", end, test.end)
			}
		})
	}
}

func TestRowsCanBeLeftAndTakenUpAgain(t *testing.T) {
	columns := mustParseColumns(t, "a=1", []string{"a"})
	rows := Rows("graph.txt", strings.NewReader("1\n2\n\n3\n"), columns)
	var got []string
	for range 5 {
		for row, err := range rows {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, row.Get("a"))
			break
		}
	}
	if diff := cmp.Diff([]string{"1", "2", "3"}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestRowsNamesTheRightmostRequiredColumn(t *testing.T) {
	columns := mustParseColumns(t, "a=3,b=4,c=4,d=9", []string{"a", "b", "c"}, "d")
	var got []string
	for _, err := range Rows("graph.txt", strings.NewReader("1 2 3\n1 2 3 4\n"), columns) {
		got = append(got, errorText(err))
	}
	if diff := cmp.Diff([]string{"graph.txt:1: 3 columns, need 4 (b=4)", ""}, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

func TestRowsYieldsTheSameErrorWhenTakenUpAgain(t *testing.T) {
	columns := mustParseColumns(t, "a=1", []string{"a"})
	broken := io.MultiReader(iotest.ErrReader(io.ErrClosedPipe), strings.NewReader("1\n"))
	rows := Rows("graph.txt", broken, columns)
	for range 2 {
		for row, err := range rows {
			if !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("row %v, error %v", row, err)
			}
		}
	}
}

func TestRowsRefusesNoColumns(t *testing.T) {
	var got []string
	for _, err := range Rows("graph.txt", strings.NewReader("1\n2\n"), Columns{}) {
		got = append(got, errorText(err))
	}
	if diff := cmp.Diff([]string{"graph.txt: no columns are named"}, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
