package files

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"example.com/relationindex/cmd/relationindex/internal/files/gcs"
)

// gzipMagic starts every gzip file, and no UTF-8 text.
const gzipMagic = "\x1f\x8b"

// Source is what one FILE argument means: a file of this machine, standard input, or objects of
// Cloud Storage.
type Source struct {
	// Tell is told how far the objects are read, often. It may be nil, and is set before Rows.
	Tell func(text string)

	parts       []part
	close       func() error
	at          int   // the part that is read; 1 is the first
	read, total int64 // bytes of all parts
}

// part is one of the files of a source, in the order in which they are read.
type part struct {
	file string // in errors
	id   string // tells it apart from the others; "": it is alone
	open func(context.Context) (io.ReadCloser, error)
}

// Open opens the file called name, and finds objects if it is gs://bucket/object or a prefix:
// see [gcs.Parse]. The name "-" is standard input. Errors name the file.
func Open(ctx context.Context, name string) (*Source, error) {
	if gcs.IsName(name) {
		return openObjects(ctx, name)
	}
	in, err := openLocal(name)
	if err != nil {
		return nil, err
	}
	open := func(context.Context) (io.ReadCloser, error) { return in, nil }
	return &Source{parts: []part{{file: name, open: open}}, close: in.Close}, nil
}

// Close ends the source.
func (s *Source) Close() error { return s.close() }

func openLocal(path string) (io.ReadCloser, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err // it names the path
		}
	}
	in, err := unzip(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return in, nil
}

func openObjects(ctx context.Context, name string) (*Source, error) {
	pattern, err := gcs.Parse(name)
	if err != nil {
		return nil, err
	}
	store, err := gcs.Open(ctx)
	if err != nil {
		return nil, err
	}
	objects, err := store.Find(ctx, name)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	s := &Source{close: store.Close}
	for _, o := range objects {
		s.total += o.Size
		next := part{file: o.String(), open: func(ctx context.Context) (io.ReadCloser, error) {
			return unzip(metered{store.Reader(ctx, o), s})
		}}
		if pattern.Many {
			next.id = o.Name
		}
		s.parts = append(s.parts, next)
	}
	return s, nil
}

// Rows reads all files of the source, one after the other, as [rows.Rows] reads one. It can be called
// once.
func (s *Source) Rows(ctx context.Context, c rows.Columns) iter.Seq2[rows.Row, error] {
	return func(yield func(rows.Row, error) bool) {
		for n, p := range s.parts {
			s.at = n + 1
			if !p.rows(ctx, c, yield) {
				return
			}
		}
	}
}

// rows reports whether the next part is to be read.
func (p part) rows(ctx context.Context, c rows.Columns, yield func(rows.Row, error) bool) bool {
	in, err := p.open(ctx)
	if err != nil {
		yield(rows.Row{}, fmt.Errorf("%s: %w", p.file, err))
		return false
	}
	defer in.Close()
	for row, err := range rows.Rows(p.file, in, c) {
		row.Part = p.id
		if !yield(row, err) {
			return false
		}
	}
	return true
}

// metered reports to its source the bytes that it reads.
type metered struct {
	io.ReadCloser
	source *Source
}

// Read reads, and tells where it is.
func (r metered) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	s := r.source
	if s.read += int64(n); s.Tell != nil {
		s.Tell(fmt.Sprintf("rows of file %d of %d, %s of %s,", s.at, len(s.parts), megabytes(s.read), megabytes(s.total)))
	}
	return n, err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// unzip returns what f holds, decompressed if its first bytes are those of a gzip file. Closing
// it closes f.
func unzip(f io.ReadCloser) (io.ReadCloser, error) {
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
	return struct {
		io.Reader
		io.Closer
	}{r, f}, nil
}
