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

// Direct writes the follows of a file together with everything that is derived from them: index
// documents, edges, and the relations of posts that are there. documents are those of [Follows]. No
// trigger is needed, and those that are registered, before or while it runs, find nothing to write.
// All follows that are not there yet get the time at which Direct was called.
//
// Rows are taken a window at a time and written by author ([load.Loader.Adopt]), so it is authors
// that cost requests, not follows. An author whose rows are in several windows is written in each:
// an event of the first may then find the relations of the second on their way, and write them
// itself.
//
// It may be ended at any moment and called again: then it does what is missing, and is needed to,
// because an author may be half done. The summary is right also when it returns an error, as for
// Import.
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

// adopt writes the authors of a window, the largest first.
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
