package edgelist

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Values that each syntax can hold. NUL, line ends and a byte order mark, which is
// only skipped at the start of a file, are left out everywhere.
var (
	// either is a value that needs no quotes with blanks or with commas between.
	either = rapid.StringMatching(`[^\x00\r\n\x{feff} \t,"#][^\x00\r\n\x{feff} \t,"]{0,8}`)
	// quoted is a value that needs quotes: anything else that a line can hold.
	quoted = rapid.StringMatching(`[^\x00\r\n\x{feff}]{1,8}`)
)

func TestRowsOfEitherSyntaxReadBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.SliceOfN(either, 2, 5)).Draw(t, "rows")

		var withBlanks, withCommas strings.Builder
		for _, row := range want {
			filler(t, &withBlanks)
			withBlanks.WriteString(blank(t, 0))
			for _, value := range row {
				withBlanks.WriteString(value + blank(t, 1))
			}
			withBlanks.WriteString(lineEnd(t))

			filler(t, &withCommas)
			for i, value := range row {
				if i > 0 {
					withCommas.WriteString(",")
				}
				withCommas.WriteString(blank(t, 0) + value + blank(t, 0))
			}
			withCommas.WriteString(lineEnd(t))
		}
		for _, text := range []string{withBlanks.String(), withCommas.String()} {
			if diff := cmp.Diff(want, readValues(t, text)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
		}
	})
}

func TestQuotedRowsReadBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.SliceOfN(quoted, 2, 5)).Draw(t, "rows")
		var text strings.Builder
		for _, row := range want {
			filler(t, &text)
			for i, value := range row {
				if i > 0 {
					text.WriteString(",")
				}
				text.WriteString(blank(t, 0) + `"` + strings.ReplaceAll(value, `"`, `""`) + `"` + blank(t, 0))
			}
			text.WriteString(lineEnd(t))
		}
		if diff := cmp.Diff(want, readValues(t, text.String())); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text.String(), diff)
		}
	})
}

func TestRowsReadsWhatTheStandardLibraryWrites(t *testing.T) {
	// A csv.Writer quotes neither a blank at the end nor a # at the start.
	value := quoted.Filter(func(s string) bool { return s == strings.Trim(s, blanks) && s[0] != '#' })
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.SliceOfN(value, 2, 5)).Draw(t, "rows")
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.UseCRLF = rapid.Bool().Draw(t, "CRLF")
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, readValues(t, text.String())); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text.String(), diff)
		}
	})
}

// readValues returns the rows of text, none of which may be bad, with the values
// that are not empty.
func readValues(t *rapid.T, text string) [][]string {
	names := []string{"a", "b", "c", "d", "e"}
	columns, err := ParseColumns("a=1,b=2,c=3,d=4,e=5", names[:2], names[2:]...)
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]string{}
	for row, err := range Rows("graph.txt", strings.NewReader(text), columns) {
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		for _, name := range names {
			values = append(values, row.Get(name))
		}
		rows = append(rows, slices.DeleteFunc(values, func(s string) bool { return s == "" }))
	}
	return rows
}

// filler writes some lines that hold no row.
func filler(t *rapid.T, text *strings.Builder) {
	line := rapid.SampledFrom([]string{"", " \t", "#", " # 1 2", `# "1,2`})
	for _, line := range rapid.SliceOfN(line, 0, 2).Draw(t, "filler") {
		text.WriteString(line + lineEnd(t))
	}
}

// blank returns at least so many spaces and tabs.
func blank(t *rapid.T, least int) string {
	return rapid.StringOfN(rapid.RuneFrom([]rune(blanks)), least, least+2, -1).Draw(t, "blank")
}

func lineEnd(t *rapid.T) string {
	return rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
}

func FuzzImportLine(f *testing.F) {
	for _, seed := range []string{
		"", "1 2", "1\t2\r\n3,4", "# x\n1", `"a","b""c",`, `"a`, `"a"b,c`, `a"b,c`, "\ufeff1 2", "1,\x00", "\xff\xfe1\x002",
		"alice,bob,2012-07-01T00:02:52Z", "1 2 1341100972.5", "__x__ .. 99999999999999", strings.Repeat("x", 100) + `",`,
	} {
		f.Add([]byte(seed))
	}
	// An excerpt of 80 bytes has 320 in quotes if each is written as \xff.
	const longest = 4*excerptBytes + 150
	f.Fuzz(func(t *testing.T, text []byte) {
		columns := mustParseColumns(t, "a=1,b=2,c=3", []string{"a", "b"}, "c")
		line := 0
		for row, err := range Rows("graph.txt", bytes.NewReader(text), columns) {
			at := row.Line
			if err != nil {
				bad, ok := errors.AsType[*RowError](err)
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

			_, timeErr := ParseTime(row.Get("c"))
			for _, err := range []error{timeErr, ParseID(row.Get("a"))} {
				if len(errorText(err)) > longest {
					t.Fatalf("too long: %v", err)
				}
			}
		}
		if lines := bytes.Count(text, []byte("\n")) + 1; line > lines {
			t.Fatalf("line %d of %d", line, lines)
		}
	})
}
