package local

import (
	"context"
	"sync"

	"cloud.google.com/go/firestore"

	"example.com/relationindex"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/wire"
)

// parsed is the guard of this process. Who changes it takes a copy.
var parsed = sync.OnceValues(func() (*guard.Guard, error) { return guard.Parse(relationindex.FirestoreIndexes) })

// Guards refuse what production would refuse by firestore.indexes.json: queries
// without an index, and, unless unlimited, commits that are too large. For the latter they read each document before it
// is written, which a bulk load or a benchmark may not want. refused may be
// nil; it is told of each refusal.
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

// OpenDatabase is [wire.OpenDatabase] with the guards, which see what reaches the emulator.
func OpenDatabase(ctx context.Context, project, database, emulatorHost string, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	g, err := Guards(false, nil)
	if err != nil {
		return nil, err
	}
	return wire.OpenDatabase(ctx, project, database, emulatorHost, append(append([]wire.Interceptor{}, interceptors...), g)...)
}
