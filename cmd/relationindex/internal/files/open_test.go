package files_test

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

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/cmd/relationindex/internal/files/rows"
)

// The name misleads on purpose: only the content counts.
func TestOpen(t *testing.T) {
	for content, want := range map[string]string{
		"": "", "1": "1", "1 2\n": "1 2\n", zip(t, "1 2\n"): "1 2\n", zip(t, ""): "", zip(t, "1 2\n") + zip(t, "3 4\n"): "1 2\n3 4\n",
	} {
		for _, name := range []string{"graph.txt", "graph.gz"} {
			in, err := files.OpenLocal(write(t, name, content))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(in); err != nil || string(got) != want || in.Close() != nil {
				t.Errorf("%s of %q: %q, %v, want %q", name, content, got, err, want)
			}
		}
	}
}

func TestOpenReadsStandardInput(t *testing.T) {
	stdin, err := os.Open(write(t, "stdin", zip(t, "1 2\n")))
	if err != nil {
		t.Fatal(err)
	}
	saved := os.Stdin
	t.Cleanup(func() { os.Stdin = saved })
	os.Stdin = stdin
	in, err := files.OpenLocal("-")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); err != nil || string(got) != "1 2\n" || in.Close() != nil {
		t.Errorf("standard input: %q, %v", got, err)
	}
}

func TestOpenNamesTheFileItCannotOpen(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]error{
		filepath.Join(dir, "none"):                                     fs.ErrNotExist,
		write(t, "half.gz", zip(t, "1 2\n")[:5]):                       io.ErrUnexpectedEOF,
		write(t, "no.gz", zip(t, "1 2\n")[:2]+strings.Repeat("x", 20)): gzip.ErrHeader,
	} {
		if _, err := files.OpenLocal(path); !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if _, err := files.OpenLocal(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder: %v", err)
	}
}

func TestTruncatedGzipErrorNamesFile(t *testing.T) {
	whole := zip(t, strings.Repeat("123456 654321\n", 20_000))
	for _, missing := range []int{1, 8, 9, len(whole) / 2} {
		path := write(t, "graph.txt.gz", whole[:len(whole)-missing])
		in, err := files.OpenLocal(path)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.ParseColumns("a=1,b=2", []string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		n, end := 0, error(nil)
		for row, err := range rows.Rows(path, in, columns) {
			switch {
			case err != nil:
				end = err
			case row.Get("a") != "123456" || row.Get("b") != "654321":
				t.Errorf("half a line: %q %q", row.Get("a"), row.Get("b"))
			}
			n++
		}
		if !errors.Is(end, io.ErrUnexpectedEOF) || !strings.Contains(end.Error(), path) || in.Close() != nil {
			t.Errorf("without the last %d bytes: %d rows, then %v", missing, n, end)
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
