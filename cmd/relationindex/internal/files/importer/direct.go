package importer

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/social"
)

// DefaultDirectParallel is how many calls of Adopt run at once; each writes
// eight authors at a time.
const DefaultDirectParallel = 4

// Direct writes the follows of a file together with everything that is derived
// from them: index documents, edges, and the relations of posts that are
// there. documents are those of [Follows]. No trigger is needed, and those that
// are registered, before or while it runs, find nothing to write. All follows
// that are not there yet get the time at which Direct was called.
//
// Rows are taken a window at a time and written by author
// ([load.Loader.Adopt]), so it is authors that cost requests, not follows. An author whose rows are in several windows is written in each: an
// event of the first may then find the relations of the second on their way,
// and write them itself.
//
// It may be ended at any moment and called again: then it does what is missing,
// and is needed to, because an author may be half done. The summary is right
// also when it returns an error, as for Write.
func Direct(ctx context.Context, index *social.System, documents iter.Seq2[Document, error], o Options) (Summary, error) {
	var s Summary
	d := direct{index: index, options: o, ramp: o.ramp(), since: time.Now()}
	var readErr, writeErr error
	started := int64(0)
	rows := func(yield func(author, follower string) bool) {
		for doc, err := range documents {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				if readErr = s.skip(err, o.Malformed); readErr != nil {
					return
				}
				d.progress(1)
				continue
			}
			if started++; !yield(doc.Row.Get("followed"), doc.Row.Get("follower")) || started == o.Limit {
				return
			}
		}
	}
	for w := range windows(rows, cmp.Or(o.Window, DefaultWindow)) {
		if writeErr = d.write(ctx, w); writeErr != nil {
			break
		}
	}
	s.Imported = d.imported.Load()
	if ctx.Err() != nil { // which is why writes failed
		return s, context.Cause(ctx)
	}
	return s, errors.Join(readErr, writeErr)
}

// direct is one call of Direct.
type direct struct {
	index          *social.System
	options        Options
	ramp           *ramp
	since          time.Time
	imported, done atomic.Int64 // rows
}

// write writes the authors of a window, the largest first.
func (d *direct) write(ctx context.Context, w *window) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(d.options.Parallel, DefaultDirectParallel))
	for part := range w.parts() {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			rows := 0
			for _, follows := range part {
				rows += len(follows.Followers)
			}
			if err := d.ramp.wait(ctx, rows); err != nil {
				return err
			}
			if err := load.New(d.index).Adopt(ctx, part, load.Options{Since: d.since, Again: retry}); err != nil {
				return err
			}
			d.imported.Add(int64(rows))
			d.progress(rows)
			return nil
		})
	}
	return group.Wait()
}

func (d *direct) progress(rows int) {
	if n := d.done.Add(int64(rows)); d.options.Progress != nil {
		d.options.Progress(n)
	}
}
