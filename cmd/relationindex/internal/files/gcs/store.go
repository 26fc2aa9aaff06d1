package gcs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cloud.google.com/go/storage"
	"github.com/googleapis/google-cloud-go-testing/storage/stiface"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"

	"example.com/relationindex/internal/console"
)

// MaxObjects is the most objects that [Store.Find] returns.
const MaxObjects = 10_000

// Store reads from Cloud Storage.
type Store struct{ client stiface.Client }

// Open returns a store with the application default credentials. With STORAGE_EMULATOR_HOST
// the client reads from there, without credentials.
func Open(ctx context.Context) (*Store, error) {
	client, err := storage.NewClient(ctx, option.WithScopes(storage.ScopeReadOnly), storage.WithDisabledClientMetrics())
	if err != nil {
		return nil, fmt.Errorf("cloud storage: %w (for credentials: gcloud auth application-default login)", brief{err})
	}
	client.SetRetry(storage.WithPolicy(storage.RetryNever)) // again retries, and counts the tries
	return New(stiface.AdaptClient(client)), nil
}

// New returns a store that reads through client.
func New(client stiface.Client) *Store { return &Store{client} }

// Close closes the store. Do not use its readers after that.
func (s *Store) Close() error { return s.client.Close() }

// Object is one generation of an object.
type Object struct {
	Bucket, Name     string
	Size, Generation int64
	CRC32C           uint32
}

// String returns gs://bucket/name, printable.
func (o Object) String() string { return console.Printable(scheme + o.Bucket + "/" + o.Name) }

func objectOf(bucket string, a *storage.ObjectAttrs) Object {
	return Object{Bucket: bucket, Name: a.Name, Size: a.Size, Generation: a.Generation, CRC32C: a.CRC32C}
}

// Find returns the object that name names, or all objects of a prefix, in the order of their
// names. It leaves out objects that stand for folders. No object is an error, and so are more
// than [MaxObjects].
func (s *Store) Find(ctx context.Context, name string) (found []Object, err error) {
	n, err := Parse(name)
	if err != nil {
		return nil, err
	}
	shown := Object{Bucket: n.Bucket, Name: n.Object}
	err = again(ctx, func() error {
		if n.Many {
			found, err = s.list(ctx, n)
			return err
		}
		attrs, err := s.client.Bucket(n.Bucket).Object(n.Object).Attrs(ctx)
		if err == nil {
			found = []Object{objectOf(n.Bucket, attrs)}
		}
		return err
	})
	if err != nil {
		return nil, explained(ctx, shown, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s*: no object's name begins so; see 'gcloud storage ls gs://%s'", shown, n.Bucket)
	}
	return found, nil
}

var errTooMany = fmt.Errorf("more than %d objects: choose a longer prefix, and import them in parts", MaxObjects)

// list reads the list of objects page by page.
func (s *Store) list(ctx context.Context, n Name) (found []Object, err error) {
	query := &storage.Query{Prefix: n.Object}
	if err := query.SetAttrSelection([]string{"Name", "Size", "Generation", "CRC32C"}); err != nil {
		return nil, err
	}
	objects := s.client.Bucket(n.Bucket).Objects(ctx, query)
	for {
		attrs, err := objects.Next()
		switch {
		case errors.Is(err, iterator.Done):
			return found, nil
		case err != nil:
			return nil, err
		case strings.HasSuffix(attrs.Name, "/"):
			continue
		case len(found) == MaxObjects:
			return nil, errTooMany
		}
		found = append(found, objectOf(n.Bucket, attrs))
	}
}
