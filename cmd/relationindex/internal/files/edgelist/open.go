package edgelist

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// gzipMagic starts every gzip file, and no UTF-8 text.
const gzipMagic = "\x1f\x8b"

// Open opens the file at path for [Rows], as [Unzip] does. The path "-" is standard input.
// Errors name the path.
func Open(path string) (io.ReadCloser, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err // it names the path
		}
	}
	in, err := Unzip(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return in, nil
}

// Unzip returns what f holds, decompressed if its first bytes are those of a gzip file. To
// close it closes f.
func Unzip(f io.ReadCloser) (io.ReadCloser, error) {
	in := bufio.NewReader(f)
	start, err := in.Peek(len(gzipMagic))
	if errors.Is(err, io.EOF) {
		err = nil // fewer bytes than that
	}
	var r io.Reader = in
	if string(start) == gzipMagic {
		r, err = gzip.NewReader(in)
	}
	if err != nil {
		return nil, err
	}
	return file{r, f}, nil
}

// file is the reader at the top and the file below.
type file struct {
	io.Reader
	io.Closer
}
