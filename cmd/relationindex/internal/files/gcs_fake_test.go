package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"testing"

	"cloud.google.com/go/storage"
	"github.com/googleapis/google-cloud-go-testing/storage/stiface"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"example.com/relationindex/cmd/relationindex/internal/files/gcs"
)

// fake is a client at the seam, of one object, whose connections end as a test says.
type fake struct {
	stiface.Client

	content []byte
	names   []string                             // of a list
	attrs   func() error                         // asked before attributes and lists are given; nil: they are
	open    func(at int64) (most int, err error) // asked for each connection: how many bytes, and how it ends; nil: all
	opened  []int64                              // where connections began
	stored  int                                  // how often ReadCompressed(true) was called
	wrong   bool                                 // attributes have another CRC32C
}

const generation = 7

func (f *fake) Bucket(string) stiface.BucketHandle { return bucket{fake: f} }

type bucket struct {
	stiface.BucketHandle
	fake *fake
}

func (b bucket) Object(string) stiface.ObjectHandle { return handle{fake: b.fake} }

func (b bucket) Objects(context.Context, *storage.Query) stiface.ObjectIterator {
	return &listing{fake: b.fake, left: b.fake.names}
}

func (f *fake) attributes(name string) (*storage.ObjectAttrs, error) {
	if f.attrs != nil {
		if err := f.attrs(); err != nil {
			return nil, err
		}
	}
	sum := crc32.Checksum(f.content, crc32.MakeTable(crc32.Castagnoli))
	if f.wrong {
		sum++
	}
	return &storage.ObjectAttrs{Name: name, Size: int64(len(f.content)), Generation: generation, CRC32C: sum}, nil
}

type listing struct {
	stiface.ObjectIterator
	fake *fake
	left []string
}

func (n *listing) Next() (*storage.ObjectAttrs, error) {
	if len(n.left) == 0 {
		return nil, iterator.Done
	}
	name := n.left[0]
	n.left = n.left[1:]
	return n.fake.attributes(name)
}

type handle struct {
	stiface.ObjectHandle
	fake *fake
}

func (h handle) Attrs(context.Context) (*storage.ObjectAttrs, error) {
	return h.fake.attributes("graph.txt")
}

func (h handle) Generation(g int64) stiface.ObjectHandle {
	if g != generation {
		panic(fmt.Sprint("generation ", g))
	}
	return h
}

func (h handle) ReadCompressed(stored bool) stiface.ObjectHandle {
	if stored {
		h.fake.stored++
	}
	return h
}

func (h handle) NewRangeReader(ctx context.Context, at, _ int64) (stiface.Reader, error) {
	f := h.fake
	f.opened = append(f.opened, at)
	most, end := len(f.content), error(nil)
	if f.open != nil {
		most, end = f.open(at)
	}
	if most == 0 && end != nil {
		return nil, end
	}
	rest := f.content[at:]
	return &connection{ctx: ctx, in: bytes.NewReader(rest[:min(most, len(rest))]), end: end}, nil
}

// connection ends with end, or as a file does. A silent one ends with its context.
type connection struct {
	stiface.Reader
	ctx context.Context
	in  io.Reader
	end error
}

var errSilence = fmt.Errorf("silence")

func (c *connection) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if err == io.EOF && errors.Is(c.end, errSilence) {
		<-c.ctx.Done()
		return n, c.ctx.Err()
	}
	if err == io.EOF && c.end != nil {
		return n, c.end
	}
	return n, err
}

func (c *connection) Close() error { return nil }

// read finds the object and reads it all.
func (f *fake) read(ctx context.Context, t *testing.T) (string, error) {
	t.Helper()
	store := gcs.New(f)
	objects, err := store.Find(ctx, "gs://bucket/graph.txt")
	if err != nil {
		return "", err
	}
	in := store.Reader(ctx, objects[0])
	defer in.Close()
	got, err := io.ReadAll(in)
	return string(got), err
}

func refusal(code int) error {
	return fmt.Errorf("storage: %w", &googleapi.Error{Code: code, Body: "<Error>\n\x1b[2J" + string(slices.Repeat([]byte("x"), 5000))})
}
