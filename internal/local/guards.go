package local

import (
	"context"
	"sync"

	"cloud.google.com/go/firestore"

	"example.com/relationindex"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
)

// guards are those of this process, by the text of their indexes. Who changes one takes a copy.
var guards sync.Map

func guardOf(cfg config.Functions) (*guard.Guard, error) {
	indexes, err := cfg.Indexes(relationindex.FirestoreIndexes)
	if err != nil {
		return nil, err
	}
	if g, ok := guards.Load(string(indexes)); ok {
		return g.(*guard.Guard), nil
	}
	parsed, err := guard.Parse(indexes)
	if err != nil {
		return nil, err
	}
	g, _ := guards.LoadOrStore(string(indexes), parsed)
	return g.(*guard.Guard), nil
}

// Guards refuse what production would refuse by the project's
// firestore.indexes.json, with the names of collections that cfg has: queries
// without an index, and, unless unlimited, commits that are too large. For the latter they read each document before it
// is written, which a bulk load or a benchmark may not want. refused may be
// nil; it is told of each refusal.
func Guards(cfg config.Functions, unlimited bool, refused func(error)) (wire.Interceptor, error) {
	g, err := guardOf(cfg)
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

// OpenDatabase is [wire.OpenDatabase] with the guards for the default names, which see what reaches the emulator.
func OpenDatabase(ctx context.Context, project, database, emulatorHost string, interceptors ...wire.Interceptor) (*firestore.Client, error) {
	g, err := Guards(config.Functions{}, false, nil)
	if err != nil {
		return nil, err
	}
	return wire.OpenDatabase(ctx, project, database, emulatorHost, append(append([]wire.Interceptor{}, interceptors...), g)...)
}
