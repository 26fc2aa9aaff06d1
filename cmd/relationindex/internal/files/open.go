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

// Source is the source that a FILE argument names: a file of this machine, standard input, or objects
// of Cloud Storage.
type Source struct {
	// Tell is called often with the progress of reading objects. It may be nil. Set it before Rows.
	Tell func(text string)

	parts       []part
	close       func() error
	at          int   // number of the current part; 1 is the first
	read, total int64 // bytes of all parts
}

// part is one of the files of a source, in the order in which they are read.
type part struct {
	file string // in errors
	id   string // distinguishes the part from the others; "": the only part
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
			return nil, err // the error names the path
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

// Rows reads all files of the source, one after the other, as [rows.Rows] reads one. You may call it only
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

// rows yields the rows of a part. It reports whether to read the next part.
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

// metered counts the bytes that it reads in its source.
type metered struct {
	io.ReadCloser
	source *Source
}

// Read reads, and calls Tell with the progress.
func (r metered) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	s := r.source
	if s.read += int64(n); s.Tell != nil {
		s.Tell(fmt.Sprintf("rows of file %d of %d, %s of %s,", s.at, len(s.parts), megabytes(s.read), megabytes(s.total)))
	}
	return n, err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// unzip returns the content of f. If f begins like a gzip file, the content is decompressed. Closing
// the result closes f.
func unzip(f io.ReadCloser) (io.ReadCloser, error) {
	in := bufio.NewReader(f)
	start, err := in.Peek(len(gzipMagic))
	if errors.Is(err, io.EOF) {
		err = nil // f is shorter than gzipMagic
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
