package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/cmd/relationindex/internal/files/edgelist"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
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

	// Malformed is told each malformed line, and each whose document is something else already; may be
	// nil. It is not called twice at once.
	Malformed func(*edgelist.RowError)
	Progress  func(rows int64) // told the rows done so far, often and by several goroutines at once; may be nil
}

// Summary counts rows.
type Summary struct {
	Imported    int64 `json:"imported"` // their documents are written; Direct: they are there now
	Skipped     int64 `json:"skipped"`  // Malformed + SelfFollows + Others
	Malformed   int64 `json:"malformed"`
	SelfFollows int64 `json:"selfFollows"`
	// Others are documents that were there already, and lack a field of [Document.Needs].
	Others int64 `json:"others,omitempty"`
	// Found are rows whose documents Write found, and left as they are: they were there before, or by another row, or
	// by a try whose answer was lost. Direct counts them in Imported.
	Found int64 `json:"found,omitempty"`
}

func (s Summary) String() string {
	others, found := "", ""
	if s.Others > 0 {
		others = fmt.Sprintf(", %d are something else already", s.Others)
	}
	if s.Found > 0 {
		found = fmt.Sprintf(", %d were there already", s.Found)
	}
	return fmt.Sprintf("imported %d%s, skipped %d (%d malformed, %d self-follows%s)", s.Imported, found, s.Skipped, s.Malformed, s.SelfFollows, others)
}

// Write writes the documents that are not there yet. It reads each post that is, and skips the row if the
// post has no author or no time by our fields. The summary is right also when it returns an error: that the
// file ended in one, that a document was refused, or that ctx ended.
func Write(ctx context.Context, client *firestore.Client, documents iter.Seq2[Document, error], o Options) (Summary, error) {
	var s Summary
	var mu sync.Mutex // guards s, and o.Malformed
	skip := func(err error) error {
		mu.Lock()
		defer mu.Unlock()
		return s.skip(err, o.Malformed)
	}
	var done atomic.Int64
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
			if readErr = skip(err); readErr != nil {
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
			found, err := create(groupCtx, client, d)
			if err != nil {
				if err = skip(err); err == nil {
					progress()
				}
				return err
			}
			mu.Lock()
			if found {
				s.Found++
			} else {
				s.Imported++
			}
			mu.Unlock()
			progress()
			return nil
		})
		if started++; started == o.Limit {
			break
		}
	}
	writeErr := group.Wait()
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
	case !ok:
		return err
	case errors.Is(err, errOther):
		s.Others++
	default:
		s.Malformed++
	}
	if s.Skipped++; ok && malformed != nil {
		malformed(bad)
	}
	return nil
}

// errOther is joined with the error of a row whose document is something else already.
var errOther = errors.New("it is something else")

// create writes a document unless it is there, and reports whether it found it.
func create(ctx context.Context, client *firestore.Client, d Document) (found bool, err error) {
	err = retry(ctx, func() error {
		_, err := client.Doc(d.Path).Create(ctx, d.Data)
		if found = status.Code(err) == codes.AlreadyExists; found {
			return look(ctx, client, d)
		}
		return err
	})
	if err != nil && !errors.Is(err, errOther) {
		err = fmt.Errorf("write %s (line %d of %s): %w", d.Path, d.Row.Line, d.Row.File, err)
	}
	return found, err
}

// look returns errOther and an [*edgelist.RowError] if the document that is there lacks what a document of d
// needs. One that has just gone is somebody's deletion.
func look(ctx context.Context, client *firestore.Client, d Document) error {
	if len(d.Needs) == 0 {
		return nil
	}
	only := wire.WithMask(ctx, func(string) bool { return true }, d.Needs...)
	docs, err := client.GetAll(only, []*firestore.DocumentRef{client.Doc(d.Path)})
	if err != nil || !docs[0].Exists() {
		return err
	}
	fields := schema.FieldsOf(docs[0], d.Needs...)
	lacks := slices.DeleteFunc(slices.Clone(d.Needs), func(name string) bool {
		return reflect.TypeOf(fields[name]) == reflect.TypeOf(d.Data[name])
	})
	if len(lacks) == 0 {
		return nil
	}
	return errors.Join(errOther, &edgelist.RowError{
		File: d.Row.File, Line: d.Row.Line,
		Reason: fmt.Sprintf("%s is there without %s, and stays as it is", d.Path, strings.Join(lacks, " and ")),
	})
}
