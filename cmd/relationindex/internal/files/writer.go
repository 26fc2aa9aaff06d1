package files

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"
)

// headerOf returns the first line of a file of these columns, and the file's spec for
// [rows.ParseColumns]. [rows.Rows] skips this line.
func headerOf(columns ...string) (line, spec string) {
	specs := make([]string, len(columns))
	for n, name := range columns {
		specs[n] = fmt.Sprintf("%s=%d", name, n+1)
	}
	return "# " + strings.Join(columns, ",") + "\n", strings.Join(specs, ",")
}

// plain are the characters that need no quotes.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-"

// lineOf returns a line from which [rows.Rows] reads these values, at least two. It returns an
// error if there is no such line, for example if a value has a line break or a NUL.
func lineOf(values ...string) (string, error) {
	cells := make([]string, len(values))
	for n, value := range values {
		if strings.ContainsAny(value, "\n\r\x00") {
			return "", fmt.Errorf("%.80q contains a line break or NUL, which a line of the file cannot contain", value)
		}
		if cells[n] = value; strings.Trim(value, plain) != "" {
			cells[n] = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
	}
	line := strings.Join(cells, ",") + "\n"
	if len(line) > rows.MaxLineBytes {
		return "", fmt.Errorf("the line would have %d bytes; the limit is %d", len(line), rows.MaxLineBytes)
	}
	return line, nil
}

// Writer writes a file.
type Writer struct {
	*bufio.Writer
	path string
	file *os.File // nil: standard output
	zip  *gzip.Writer
}

// Create begins the file at path, compressed by gzip if its name ends in .gz. The path "-"
// is stdout. If path exists, it must be a file, and overwrite must be true.
//
// Until Commit, the written text is in path.part. A process that dies leaves path.part, and the
// next process overwrites it. Only the owner of the file may read it.
func Create(path string, stdout io.Writer, overwrite bool) (*Writer, error) {
	w := &Writer{path: path}
	if path == "-" {
		w.Writer = bufio.NewWriterSize(stdout, rows.MaxLineBytes)
		return w, nil
	}
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: name a file, or - for standard output", path)
	case err == nil && !overwrite:
		return nil, fmt.Errorf("%s already exists: name another file, or add --overwrite", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err // it names the path
	}
	err := os.Remove(w.part())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if w.file, err = os.OpenFile(w.part(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, err // it names the path
	}
	w.Writer = bufio.NewWriterSize(w.file, rows.MaxLineBytes)
	if strings.HasSuffix(path, ".gz") {
		w.zip = gzip.NewWriter(w.file)
		w.Reset(w.zip)
	}
	return w, nil
}

func (w *Writer) part() string { return w.path + ".part" }

// Commit puts the written file at path. It replaces an existing file.
func (w *Writer) Commit() error {
	err := w.Flush()
	if w.file == nil {
		return err
	}
	if err == nil && w.zip != nil {
		err = w.zip.Close()
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		return errors.Join(err, w.Discard())
	}
	// Dying here leaves the whole file in path.part, and the earlier one in path.
	return errors.Join(w.file.Close(), os.Rename(w.part(), w.path))
}

// Discard removes the written text.
func (w *Writer) Discard() error {
	if w.file == nil {
		return nil
	}
	return errors.Join(w.file.Close(), os.Remove(w.part()))
}
