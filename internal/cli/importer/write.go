package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/cli/edgelist"
)

// DefaultParallel is how many documents Write writes at once. More does not
// help against one database, whose functions have the same documents to do.
const DefaultParallel = 64

// Options of Write and Direct. The zero value is the default.
type Options struct {
	Limit    int64 // import this many rows and stop; 0: all
	Parallel int   // Write: documents written at once; 0: DefaultParallel. Direct: calls of Adopt; 0: DefaultDirectParallel
	Window   int   // Direct: bytes of rows in memory; 0: DefaultWindow
	Ramp     bool  // begin at the pace that Firestore asks for in a new collection: see firstRate

	Malformed func(*edgelist.RowError) // told each malformed line; may be nil
	Progress  func(rows int64)         // told the rows done so far, often and by several goroutines at once; may be nil
}

// Summary counts rows.
type Summary struct {
	Imported    int64 `json:"imported"` // their documents are there now
	Skipped     int64 `json:"skipped"`  // Malformed + SelfFollows
	Malformed   int64 `json:"malformed"`
	SelfFollows int64 `json:"selfFollows"`
}

func (s Summary) String() string {
	return fmt.Sprintf("imported %d, skipped %d (%d malformed, %d self-follows)", s.Imported, s.Skipped, s.Malformed, s.SelfFollows)
}

// Write writes the documents that are not there yet. The summary is right
// also when it returns an error: that the file ended in one, that a document was
// refused, or that ctx ended.
func Write(ctx context.Context, client *firestore.Client, documents iter.Seq2[Document, error], o Options) (Summary, error) {
	var s Summary
	var imported, done atomic.Int64
	progress := func() {
		if n := done.Add(1); o.Progress != nil {
			o.Progress(n)
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(o.Parallel, DefaultParallel))
	var readErr error
	started, ramp := int64(0), o.ramp()
	for d, err := range documents {
		if groupCtx.Err() != nil {
			break
		}
		if err != nil {
			if readErr = s.skip(err, o.Malformed); readErr != nil {
				break
			}
			progress()
			continue
		}
		if err := ramp.wait(groupCtx, 1); err != nil {
			if groupCtx.Err() == nil { // else that says why
				readErr = err
			}
			break
		}
		group.Go(func() error {
			if err := create(groupCtx, client, d); err != nil {
				return err
			}
			imported.Add(1)
			progress()
			return nil
		})
		if started++; started == o.Limit {
			break
		}
	}
	writeErr := group.Wait()
	s.Imported = imported.Load()
	if ctx.Err() != nil { // which is why writes failed
		return s, context.Cause(ctx)
	}
	return s, errors.Join(readErr, writeErr)
}

// skip counts a row that is no document. It returns err if that is about more
// than one row.
func (s *Summary) skip(err error, malformed func(*edgelist.RowError)) error {
	bad, ok := errors.AsType[*edgelist.RowError](err)
	switch {
	case errors.Is(err, ErrSelfFollow):
		s.SelfFollows++
	case ok:
		s.Malformed++
		if malformed != nil {
			malformed(bad)
		}
	default:
		return err
	}
	s.Skipped++
	return nil
}

// create writes a document unless it is there.
func create(ctx context.Context, client *firestore.Client, d Document) error {
	err := retry(ctx, func() error {
		_, err := client.Doc(d.Path).Create(ctx, d.Data)
		if status.Code(err) == codes.AlreadyExists {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s (line %d of %s): %w", d.Path, d.Row.Line, d.Row.File, err)
	}
	return nil
}
