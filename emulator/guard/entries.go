package guard

import (
	"context"
	"fmt"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/indexfile"
)

// entriesKey is the context key of the number of entries that a guard has counted.
type entriesKey struct{}

// Entries returns the number of index entries that a Commit removes and adds, counted as for [MaxIndexEntries]. For a
// BatchWrite, it returns the largest number of one write; for other requests 0. It reads the documents from the emulator at
// target, unless a guard earlier in the chain of interceptors has counted.
func (g *LimitGuard) Entries(ctx context.Context, target string, req any) (int, error) {
	if n, ok := ctx.Value(entriesKey{}).(int); ok {
		return n, nil
	}
	database, transactions := transactions(req)
	before, err := g.before(ctx, database, transactions, func(ctx context.Context, database string, names []string) (map[string]fields, error) {
		return g.read(ctx, target, database, names)
	})
	if err != nil {
		return 0, err
	}
	most := 0
	for _, writes := range transactions {
		entries := 0
		for _, c := range changes(writes, before) {
			entries += g.changed(c).Count
		}
		most = max(most, entries)
	}
	return most, nil
}

// transactions returns the writes of a request by transaction: all of a Commit in one, each of a BatchWrite alone.
func transactions(req any) (database string, all [][]*pb.Write) {
	switch r := req.(type) {
	case *pb.CommitRequest:
		return r.GetDatabase(), [][]*pb.Write{r.GetWrites()}
	case *pb.BatchWriteRequest:
		return r.GetDatabase(), slices.Collect(slices.Chunk(r.GetWrites(), 1))
	default:
		return "", nil
	}
}

// before reads the documents that the writes change, in their state before the writes.
func (g *LimitGuard) before(ctx context.Context, database string, transactions [][]*pb.Write, read reader) (map[string]fields, error) {
	names := unknown(slices.Concat(transactions...))
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // no document is there
	}
	before, err := read(ctx, database, names)
	if err != nil {
		return nil, fmt.Errorf("documents as they are before a commit: %w", err)
	}
	return before, nil
}

// changed returns the entries that a change removes and adds.
func (g *LimitGuard) changed(c *change) indexfile.Entries {
	path := indexfile.PathOf(c.name)
	return indexfile.Sum(g.file.Changed(state(path, c.before), state(path, c.after)))
}
