package local

import (
	"context"
	"sync"

	"cloud.google.com/go/firestore"

	"example.com/relationindex"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/wire"
)

// parsed returns the guard of this process. Callers copy it before they change it.
var parsed = sync.OnceValues(func() (*guard.Guard, error) { return guard.Parse(relationindex.FirestoreIndexes) })

// Guards returns an interceptor that rejects what production would reject by firestore.indexes.json: queries
// without an index and, unless unlimited, commits that are too large. To measure a commit, the guard reads each
// document before it is written; a bulk load or a benchmark may leave that out by unlimited. refused gets the
// error of each rejection; it may be nil.
func Guards(unlimited bool, refused func(error)) (wire.Interceptor, error) {
	g, err := parsed()
	if err != nil {
		return wire.Interceptor{}, err
	}
	mine := *g
	mine.Refused = refused
	if unlimited {
		mine.Limits = nil
	}
	return wire.Interceptor{Unary: mine.Unary, Stream: mine.Stream}, nil
}

// Open is [OpenDatabase] for the (default) database.
func Open(ctx context.Context, project, emulatorHost string, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	return OpenDatabase(ctx, project, "", emulatorHost, interceptors...)
}

// OpenDatabase is [wire.OpenDatabase] with the guards behind the interceptors, so that they see what reaches the emulator.
func OpenDatabase(ctx context.Context, project, database, emulatorHost string, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	g, err := Guards(false, nil)
	if err != nil {
		return nil, err
	}
	return wire.OpenDatabase(ctx, project, database, emulatorHost, append(append([]wire.Interceptor{}, interceptors...), g)...)
}
