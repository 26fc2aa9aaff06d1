package files

import (
	"context"
	"errors"
	"iter"
	"sync"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"
)

// tally counts the rows of an import.
type tally struct {
	options ImportOptions
	ramp    *ramp
	broken  error // the error that ended the file

	mu      sync.Mutex // guards the rest, and calls of options
	summary Imported
}

func newTally(o ImportOptions) *tally { return &tally{options: o, ramp: o.ramp()} }

// documents yields the documents to write, up to the limit. It counts the skipped rows.
func (t *tally) documents(ctx context.Context, all iter.Seq2[Document, error]) iter.Seq[Document] {
	return func(yield func(Document) bool) {
		started := int64(0)
		for d, err := range all {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				if t.broken = t.skip(err); t.broken != nil {
					return
				}
				continue
			}
			if started++; !yield(d) || started == t.options.Limit {
				return
			}
		}
	}
}

// add counts rows whose documents exist now.
func (t *tally) add(rows int64, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if found {
		t.summary.Found += rows
	} else {
		t.summary.Imported += rows
	}
	t.progress()
}

// skip counts a skipped row. It returns err if err is about more than one row.
func (t *tally) skip(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	bad, ok := errors.AsType[*rows.RowError](err)
	switch {
	case errors.Is(err, ErrSelfFollow):
		t.summary.SelfFollows++
	case !ok:
		return err
	case errors.Is(err, errOther):
		t.summary.Others++
	default:
		t.summary.Malformed++
	}
	if t.summary.Skipped++; ok && t.options.Malformed != nil {
		t.options.Malformed(bad)
	}
	t.progress()
	return nil
}

func (t *tally) progress() {
	if t.options.Progress != nil {
		t.options.Progress(t.summary.Imported + t.summary.Found + t.summary.Skipped)
	}
}

// ended returns the summary, and the error that ended the import early. If ctx has ended, writes failed for that
// reason, so ended returns the cause.
func (t *tally) ended(ctx context.Context, err error) (Imported, error) {
	if ctx.Err() != nil {
		return t.summary, context.Cause(ctx)
	}
	return t.summary, errors.Join(t.broken, err)
}
