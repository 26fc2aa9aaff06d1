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
// are those of a gzip file. The path "-" is standard input, which stays open when
// the result is closed. Errors name the path.
func Open(path string) (io.ReadCloser, error) {
	if path == "-" {
		return decompress(path, io.NopCloser(os.Stdin))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err // it names the path
	}
	return decompress(path, f)
}

// decompress closes f if it returns an error; otherwise closing the result does.
func decompress(path string, f io.ReadCloser) (io.ReadCloser, error) {
	in := bufio.NewReader(f)
	start, err := in.Peek(len(gzipMagic))
	if err != nil && !errors.Is(err, io.EOF) { // io.EOF: fewer bytes than that
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	if string(start) != gzipMagic {
		return file{in, f}, nil
	}
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: gzip: %w", path, err), f.Close())
	}
	return file{unzipped, f}, nil
}

// file is what Open returns: the reader at the top and the file below.
type file struct {
	io.Reader
	io.Closer
}
