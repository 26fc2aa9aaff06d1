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

// Open opens the file at path for [Rows], and decompresses it if its first bytes
// are those of a gzip file. The path "-" is standard input. Errors name the path.
func Open(path string) (io.ReadCloser, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err // it names the path
		}
	}
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
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return file{r, f}, nil
}

// file is what Open returns: the reader at the top and the file below.
type file struct {
	io.Reader
	io.Closer
}
