package operate

import (
	"context"
	"fmt"
	"io"
	"iter"

	"example.com/relationindex/cmd/relationindex/internal/files/edgelist"
	"example.com/relationindex/cmd/relationindex/internal/files/gcs"
	"example.com/relationindex/cmd/relationindex/internal/files/importer"
)

// files are what one FILE argument means, in the order in which they are read.
type files struct {
	list  []input
	close func() error
	tell  func(text string) // where reading is, often; set before the first is opened
}

// input is one of them.
type input struct {
	name string // in errors
	part string // tells it apart from the others; "": it is alone
	open func(ctx context.Context) (io.ReadCloser, error)
}

// find finds a file of this machine, which it opens, or objects of Cloud Storage.
func find(ctx context.Context, name string) (*files, error) {
	if gcs.IsName(name) {
		return findObjects(ctx, name)
	}
	in, err := edgelist.Open(name)
	if err != nil {
		return nil, err
	}
	one := input{name: name, open: func(context.Context) (io.ReadCloser, error) { return in, nil }}
	return &files{list: []input{one}, close: in.Close}, nil
}

func findObjects(ctx context.Context, name string) (*files, error) {
	store, err := gcs.Open(ctx)
	if err != nil {
		return nil, err
	}
	objects, err := store.Find(ctx, name)
	if err != nil {
		_ = store.Close()
		return nil, err
	}
	f := &files{close: store.Close}
	meter := &meter{files: f, count: len(objects)}
	for n, o := range objects {
		meter.total += o.Size
		next := input{name: o.String()}
		if pattern, err := gcs.Parse(name); err == nil && pattern.Many {
			next.part = o.Name
		}
		next.open = func(ctx context.Context) (io.ReadCloser, error) {
			meter.at = n + 1
			in, err := edgelist.Unzip(meter.of(store.Reader(ctx, o)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", next.name, err)
			}
			return in, nil
		}
		f.list = append(f.list, next)
	}
	return f, nil
}

// documents are those of all files, one file after the other.
func (f *files) documents(ctx context.Context, read func(input, io.Reader) iter.Seq2[importer.Document, error]) iter.Seq2[importer.Document, error] {
	return func(yield func(importer.Document, error) bool) {
		for _, next := range f.list {
			if !documentsOf(ctx, next, read, yield) {
				return
			}
		}
	}
}

func documentsOf(ctx context.Context, f input, read func(input, io.Reader) iter.Seq2[importer.Document, error], yield func(importer.Document, error) bool) bool {
	in, err := f.open(ctx)
	if err != nil {
		yield(importer.Document{}, err)
		return false
	}
	defer in.Close()
	for d, err := range read(f, in) {
		if !yield(d, err) {
			return false
		}
	}
	return true
}

// meter tells how many bytes of all objects are read.
type meter struct {
	files       *files
	at, count   int
	read, total int64
}

func (m *meter) of(in io.ReadCloser) io.ReadCloser { return metered{in, m} }

type metered struct {
	io.ReadCloser
	meter *meter
}

// Read reads, and tells where it is.
func (r metered) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	m := r.meter
	if m.read += int64(n); m.files.tell != nil {
		m.files.tell(fmt.Sprintf("rows of file %d of %d, %s of %s,", m.at, m.count, megabytes(m.read), megabytes(m.total)))
	}
	return n, err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
