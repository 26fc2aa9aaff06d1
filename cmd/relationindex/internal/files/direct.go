package files

import (
	"cmp"
	"context"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/social"
)

// DefaultDirectParallel is how many calls of Adopt run at once; each writes
// eight authors at a time.
const DefaultDirectParallel = 4

// Direct writes the follows of a file together with all documents derived from them: index
// documents, edges, and the relations of existing posts. The argument documents must be of the kind
// [Follows]. Direct needs no triggers. Triggers that are registered before or during the run find nothing to
// write. All new follows get the time of the call of Direct.
//
// Direct reads a window of rows at a time, and writes the rows by author ([load.Loader.Adopt]). So
// the number of requests depends on the authors, not on the follows. An author with rows in several
// windows is written in each window. An event of the first window may then find relations of the
// second window unwritten, and write these relations itself.
//
// You may end Direct at any moment. Then call Direct again to write the missing documents, because
// an author may be half written. The summary is also right with an error, as in Import.
func Direct(ctx context.Context, index *social.System, documents iter.Seq2[Document, error], o ImportOptions) (Imported, error) {
	t, since := newTally(o), time.Now()
	rows := func(yield func(author, follower string) bool) {
		for d := range t.documents(ctx, documents) {
			if !yield(d.Row.Get("followed"), d.Row.Get("follower")) {
				return
			}
		}
	}
	var err error
	for w := range windows(rows, cmp.Or(o.Window, DefaultWindow)) {
		if err = t.adopt(ctx, index, w, since); err != nil {
			break
		}
	}
	return t.ended(ctx, err)
}

// adopt writes the authors of a window, largest first.
func (t *tally) adopt(ctx context.Context, index *social.System, w *window, since time.Time) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(t.options.Parallel, DefaultDirectParallel))
	for part := range w.parts() {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			rows := 0
			for _, follows := range part {
				rows += len(follows.Followers)
			}
			if err := t.ramp.wait(ctx, rows); err != nil {
				return err
			}
			if err := load.New(index).Adopt(ctx, part, load.Options{Since: since, Again: retry}); err != nil {
				return err
			}
			t.add(int64(rows), false)
			return nil
		})
	}
	return group.Wait()
}
