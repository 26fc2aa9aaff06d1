package edgelist

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpen(t *testing.T) {
	tests := []struct {
		name    string
		content string
		want    string
	}{
		{name: "empty", content: "", want: ""},
		{name: "one byte", content: "1", want: "1"},
		{name: "plain", content: "1 2\n", want: "1 2\n"},
		{name: "gzip", content: zip(t, "1 2\n"), want: "1 2\n"},
		{name: "gzip of nothing", content: zip(t, ""), want: ""},
		{name: "two gzip files in one", content: zip(t, "1 2\n") + zip(t, "3 4\n"), want: "1 2\n3 4\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// The names mislead on purpose: only the content counts.
			for _, name := range []string{"graph.txt", "graph.gz"} {
				in, err := Open(write(t, name, test.content))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, readText(t, in)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
				if err := in.Close(); err != nil {
					t.Errorf("close %s: %v", name, err)
				}
			}
		})
	}
}

func TestOpenReadsStandardInput(t *testing.T) {
	for _, content := range []string{"1 2\n", zip(t, "1 2\n")} {
		stdin, err := os.Open(write(t, "stdin", content))
		if err != nil {
			t.Fatal(err)
		}
		saved := os.Stdin
		t.Cleanup(func() { os.Stdin = saved })
		os.Stdin = stdin

		in, err := Open("-")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("1 2\n", readText(t, in)); diff != "" {
			t.Errorf("standard input (-want +got):\n%s", diff)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := stdin.Close(); err != nil {
			t.Errorf("standard input was closed: %v", err)
		}
	}
}

func TestOpenNamesTheFileItCannotOpen(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name string
		path string
		want error // nil: any
	}{
		{name: "no such file", path: filepath.Join(dir, "none"), want: fs.ErrNotExist},
		{name: "a folder", path: dir},
		{name: "half a gzip header", path: write(t, "half.gz", zip(t, "1 2\n")[:5]), want: io.ErrUnexpectedEOF},
		{name: "not a gzip header", path: write(t, "no.gz", gzipMagic+strings.Repeat("x", 20)), want: gzip.ErrHeader},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(test.path)
			if err == nil || !strings.Contains(err.Error(), test.path) {
				t.Errorf("error %v does not name %s", err, test.path)
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
}

func TestATruncatedGzipFileEndsWithAnErrorNamingIt(t *testing.T) {
	var text strings.Builder
	for range 20_000 {
		text.WriteString("123456 654321\n")
	}
	whole := zip(t, text.String())
	for _, missing := range []int{1, 8, 9, len(whole) / 2} {
		path := write(t, "graph.txt.gz", whole[:len(whole)-missing])
		in, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var end error
		rows := 0
		columns := mustParseColumns(t, "a=1,b=2", []string{"a", "b"})
		for row, err := range Rows(path, in, columns) {
			if err != nil {
				end = err
				continue
			}
			rows++
			if got := row.Get("a") + " " + row.Get("b"); got != "123456 654321" {
				t.Errorf("line %d is half a line: %q", row.Line, got)
			}
		}
		if !errors.Is(end, io.ErrUnexpectedEOF) || !strings.Contains(errorText(end), path) {
			t.Errorf("without the last %d bytes: %d rows, then %v", missing, rows, end)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}

// zip returns text as a gzip file.
func zip(tb testing.TB, text string) string {
	tb.Helper()
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	if _, err := io.WriteString(w, text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return buffer.String()
}

// write returns the path of a new file with this content.
func write(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func readText(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
