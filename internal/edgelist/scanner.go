package edgelist

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// byteOrderMark is what some editors write at the start of a UTF-8 file.
const byteOrderMark = "\ufeff"

// scanner walks over the lines of one file that may hold a row: neither blank nor
// comments. bufio.Scanner is not used: it stops for good at a line that is longer
// than its buffer, and takes what came before a read error for a whole line.
type scanner struct {
	in *bufio.Reader // holds the longest line, its end and a byte order mark

	line   []byte // without its end and the blanks before it; valid until the next scan
	long   bool   // the line has more than MaxLineBytes; line is its beginning
	number int    // of the line; 1 is the first, comments and blank lines counted
	unread bool   // of a long line the rest is still in the file
	err    error  // why scan returned false; nil at the end of the file
}

func newScanner(r io.Reader) *scanner {
	size := len(byteOrderMark) + MaxLineBytes + len("\r\n")
	return &scanner{in: bufio.NewReaderSize(r, size)}
}

// scan goes to the next line that may hold a row. It returns false at the end of
// the file, or when the file cannot be read; number is then the last whole line.
func (s *scanner) scan() bool {
	for s.read() {
		s.line = bytes.TrimLeft(s.line, blanks)
		comment := bytes.HasPrefix(s.line, []byte{'#'})
		blank := len(s.line) == 0 && !s.long
		if !comment && !blank {
			return true
		}
	}
	return false
}

// read goes to the next line of any kind.
func (s *scanner) read() bool {
	if s.err != nil {
		return false
	}
	text, err := s.slice()
	s.unread = errors.Is(err, bufio.ErrBufferFull)
	atEnd := err == io.EOF //nolint:errorlint // the end is io.EOF itself; one that is wrapped tells of a failure
	switch {
	case err == nil, s.unread:
	case atEnd && len(text) > 0: // the last line may do without an end
	case atEnd:
		return false
	default: // text may be half a line, and 12 of 12345 is another id
		s.err = err
		return false
	}
	s.number++
	if s.number == 1 {
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	}
	s.line = bytes.TrimRight(text, "\r\n")
	s.long = s.unread || len(s.line) > MaxLineBytes
	return true
}

// slice returns what follows up to the next line end, or as much of it as fits
// the buffer, once the rest of a long line before it is skipped.
func (s *scanner) slice() ([]byte, error) {
	for s.unread {
		_, err := s.in.ReadSlice('\n')
		s.unread = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !s.unread {
			return nil, err
		}
	}
	return s.in.ReadSlice('\n')
}
