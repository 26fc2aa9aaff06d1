package rows_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"
)

func TestParseColumns(t *testing.T) {
	for spec, want := range map[string]string{
		"a=1,b=2":               "",
		" b = 1 , a=1000,c = 2": "",
		"a=1,b=2,c=2":           "",
		"a=1,b=1":               "a and b are both column 1",
		"":                      `unknown name "": must be name=number, with one of the names a, b, c`,
		"a=1,b=2,":              `unknown name "": must be`,
		"a,b=2":                 `a is column "": must be a whole number from 1 to 1000`,
		"a=1":                   "b is missing",
		"a=1,a=2":               "a is given twice",
		"a=0,b=2":               `a is column "0"`,
		"a=1,b=1001":            `b is column "1001"`,
		"a=1,b=x":               `b is column "x"`,
	} {
		_, err := rows.ParseColumns(spec, []string{"a", "b"}, "c")
		if want == "" && err == nil {
			continue
		}
		text := fmt.Sprint(err)
		if want == "" || !strings.HasPrefix(text, fmt.Sprintf("columns %q: %s", spec, want)) || !strings.HasSuffix(text, `; for example "a=1,b=2"`) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
}

// columns are two required ones, the first and the second, and an optional one.
func columns(tb testing.TB) rows.Columns {
	tb.Helper()
	c, err := rows.ParseColumns("a=1,b=2,c=4", []string{"a", "b"}, "c", "d")
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// read returns a line for each row and each error of r.
func read(tb testing.TB, file string, r io.Reader) (all []string, end error) {
	tb.Helper()
	for row, err := range rows.Rows(file, r, columns(tb)) {
		if end != nil {
			tb.Fatalf("the walk goes on after %v", end)
		}
		bad, ok := errors.AsType[*rows.RowError](err)
		switch {
		case ok:
			all = append(all, bad.Error())
		case err != nil:
			end = err
		default:
			all = append(all, fmt.Sprintf("%d %q %q %q", row.Line, row.Get("a"), row.Get("b"), row.Get("c")+row.Get("d")+row.Get("e")))
		}
	}
	return all, end
}

func TestRows(t *testing.T) {
	long := strings.Repeat("x", rows.MaxLineBytes)
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing":                {"", nil},
		"only a byte order mark": {"\ufeff", nil},
		"spaces and tabs":        {"1 2\n3\t4\n  5 \t 6 \t", []string{`1 "1" "2" ""`, `2 "3" "4" ""`, `3 "5" "6" ""`}},
		"the optional column":    {"1 2 3 4 5\n1 2 3\n1,2,3,\n", []string{`1 "1" "2" "4"`, `2 "1" "2" ""`, `3 "1" "2" ""`}},
		"CRLF":                   {"# x\r\n1 2\r\n\r\n3,4\r\n5,\"6\"\r\n7 8\r", []string{`2 "1" "2" ""`, `4 "3" "4" ""`, `5 "5" "6" ""`, `6 "7" "8" ""`}},
		"comments and blank lines are counted": {
			"\ufeff# x\n \t\n\t# y\n1 2\n1 #2\n\"#1\",2\n", []string{`4 "1" "2" ""`, `5 "1" "#2" ""`, `6 "#1" "2" ""`},
		},
		"a byte order mark": {"\ufeff1 2\n", []string{`1 "1" "2" ""`}},
		"commas":            {"1,2\n 1 \t, 2 \n1 2,3\n1,2,,4\n", []string{`1 "1" "2" ""`, `2 "1" "2" ""`, `3 "1 2" "3" ""`, `4 "1" "2" "4"`}},
		"quotes":            {`"1","2"` + "\n" + ` "a,b", "c ""d"" "` + "\n" + `"1 2"`, []string{`1 "1" "2" ""`, `2 "a,b" "c \"d\" " ""`, `3 "\"1" "2\"" ""`}},
		"white space of Unicode is part of a value": {
			"a\u3000lice bob\n\u00a0a,\u2003b\u2028\n\v \f\n\u0085\n",
			[]string{`1 "a\u3000lice" "bob" ""`, `2 "\u00a0a" "\u2003b\u2028" ""`, `3 "\v" "\f" ""`, "f:4: no b in column 2"},
		},
		"blanks inside and around quotes": {
			`" a ","\tb "` + "\n" + `"a" , "b" ` + "\n" + `"a , b",c , d` + "\n" + `"" , b`,
			[]string{`1 " a " "\\tb " ""`, `2 "a" "b" ""`, `3 "a , b" "c" ""`, "f:4: no a in column 1"},
		},
		"a byte order mark later": {"1 2\n\ufeff3 4\n", []string{`1 "1" "2" ""`, `2 "\ufeff3" "4" ""`}},
		"a bare CR": {
			"# x\r1 2\r\n1 2\r3 4\n1,2\r\r\n1,\"2\r\"\n5 6\r\n",
			[]string{
				`f:1: carriage return inside the line: "# x\r1 2"`, `f:2: carriage return inside the line: "1 2\r3 4"`,
				`f:3: carriage return inside the line: "1,2\r"`, `f:4: carriage return inside the line: "1,\"2\r\""`, `5 "5" "6" ""`,
			},
		},
		"a missing value": {"1\n1#2\n,2\n1,\n1,\"\"\n3 4", []string{"f:1: no b in column 2", "f:2: no b in column 2", "f:3: no a in column 1", "f:4: no b in column 2", "f:5: no b in column 2", `6 "3" "4" ""`}},
		"wrong quotes": {
			"1,\"2\n\"1\"x,2\n1,2\"3\n3,4",
			[]string{
				`f:1: extraneous or missing " in quoted-field: "1,\"2"`, `f:2: extraneous or missing " in quoted-field: "\"1\"x,2"`,
				`f:3: bare " in non-quoted-field: "1,2\"3"`, `4 "3" "4" ""`,
			},
		},
		"a long excerpt": {`"` + strings.Repeat("x", 200) + ",", []string{`f:1: extraneous or missing " in quoted-field: "\"` + strings.Repeat("x", 79) + `"`}},
		"UTF-16":         {"\xff\xfe1\x00 \x002\x00\n\x003\x00", []string{"f:1: NUL byte: not text, or text in UTF-16", "f:2: NUL byte: not text, or text in UTF-16"}},
		"the longest":    {"1 " + long[3:] + "\n3 4", []string{`1 "1" "` + long[3:] + `" ""`, `2 "3" "4" ""`}},
		"too long":       {"1 " + long[2:] + "\n3 4", []string{"f:1: line longer than 65536 bytes", `2 "3" "4" ""`}},
		"far too long":   {long + long + long + "\n3,4", []string{"f:1: line longer than 65536 bytes", `2 "3" "4" ""`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				got, end := read(t, "f", r)
				if diff := gocmp.Diff(test.want, got); diff != "" || end != nil {
					t.Errorf("ended with %v, rows (-want +got):\n%s", end, diff)
				}
			}
		})
	}
}

// Rows reads the output of encoding/csv, except for some ids: encoding/csv writes a blank
// at the end and a # at the start without quotes.
func TestRowsReadsOutputOfEncodingCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.String().Filter(func(s string) bool {
			return s != "" && !strings.ContainsAny(s, "\x00\r\n") && s[0] != '#' && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, "\t")
		})
		id = rapid.OneOf(id, rapid.StringMatching("[ab\" ,\t\u3000\u00a0]{0,4}[ab\",\u3000\u00a0]"))
		want := rapid.SliceOf(rapid.SliceOfN(id, 2, 2)).Draw(t, "rows")
		var text bytes.Buffer
		text.WriteString("# follower,followed\n")
		if err := csv.NewWriter(&text).WriteAll(want); err != nil {
			t.Fatal(err)
		}
		c, err := rows.ParseColumns("a=1,b=2", []string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		got := make([][]string, 0, len(want))
		for row, err := range rows.Rows("f", &text, c) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, []string{row.Get("a"), row.Get("b")})
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	})
}

func TestRowsRejectsHalfLine(t *testing.T) {
	broken := errors.New("disk on fire")
	for text, want := range map[string][]string{
		"":            nil,
		"1 2\n3 4\n":  {`1 "1" "2" ""`, `2 "3" "4" ""`},
		"1 2\n3 4":    {`1 "1" "2" ""`},
		"1 2\n3,\"45": {`1 "1" "2" ""`},
		"1 2\n" + strings.Repeat("x", 2*rows.MaxLineBytes): {`1 "1" "2" ""`},
	} {
		got, end := read(t, "f", io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
		if diff := gocmp.Diff(want, got); diff != "" || !errors.Is(end, broken) || !strings.HasPrefix(end.Error(), "f:") {
			t.Errorf("%.80q ended with %v, rows (-want +got):\n%s", text, end, diff)
		}
	}
}

func FuzzImportLine(f *testing.F) {
	for _, seed := range []string{
		"", "1 2", "1\t2\r\n3,4", "# x\n1", `"a","b""c",`, "\"a,\n1,2", `"a"b,c`, `a"b,c`, "\ufeff1 2", "1,\x00", "\xff\xfe1\x002",
		"alice,bob,c,2012-07-01T00:02:52Z", "1 2 3 1341100972.5", "__x__ .. x 99999999999999", strings.Repeat("x", 100) + `",`,
	} {
		f.Add([]byte(seed))
	}
	const longest = 80*len(`\U0010ffff`) + 150 // of a reason with 80 characters of the line
	f.Fuzz(func(t *testing.T, text []byte) {
		line := 0
		for row, err := range rows.Rows("f", bytes.NewReader(text), columns(t)) {
			at := row.Line
			if err != nil {
				bad, ok := errors.AsType[*rows.RowError](err)
				if !ok || len(bad.Reason) > longest {
					t.Fatalf("not a row error, or too long a reason: %v", err)
				}
				at = bad.Line
			} else if row.Get("a") == "" || row.Get("b") == "" {
				t.Fatalf("line %d lacks a required column", row.Line)
			}
			if at <= line {
				t.Fatalf("line %d comes after line %d", at, line)
			}
			line = at
			_, timeErr := rows.ParseTime(row.Get("c"))
			for _, err := range []error{timeErr, rows.ParseID(row.Get("a"))} {
				if err != nil && len(err.Error()) > longest {
					t.Fatalf("too long: %v", err)
				}
			}
		}
		if lines := bytes.Count(text, []byte("\n")) + 1; line > lines {
			t.Fatalf("line %d of %d", line, lines)
		}
	})
}

// A first row of names says where the columns are, and only then has a file the columns that need one.
func TestInOrder(t *testing.T) {
	c := rows.InOrder([]string{"a", "b"}, []string{"c"}, "d")
	for text, want := range map[string]string{
		"1 2 3 4\n5 6\n":              "1 2 3 - 5 6 - - ",
		"# b a\n1 2 3\n":              "1 2 3 - ",
		"\n# x\nb,x,a\n1,2,3\n":       "3 1 - - ",
		"d a c b\n1 2 3 4\nd a c b\n": "2 4 3 1 a b c d ",
		"a c\n1 2 3\n":                "a c - - 1 2 3 - ", // not all that are required
		"A B C\n1 2\n":                "1 2 - - ",         // as with columns by number
		"1\na b\n":                    "f:1: no b in column 2 a b - - ",
		"b\na b\n":                    "f:1: no b in column 2 a b - - ",
	} {
		var got strings.Builder
		for row, err := range rows.Rows("f", strings.NewReader(text), c) {
			if err != nil {
				got.WriteString(err.Error() + " ")
				continue
			}
			for _, name := range []string{"a", "b", "c", "d"} {
				got.WriteString(cmp.Or(row.Get(name), "-") + " ")
			}
		}
		if got.String() != want {
			t.Errorf("%q: %q, want %q", text, got.String(), want)
		}
	}
}
