package fill

import (
	"context"
	"fmt"
	"sync/atomic"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/assembly"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema/names"
)

// readersAtOnce is how many timelines are filled at a time.
const readersAtOnce = 8

// FilledTimelines is what Timelines did.
type FilledTimelines struct {
	Readers int64 `json:"readers"`
	Posts   int64 `json:"posts"` // that they should have, at most so many each; written, or there already
}

// Timelines brings the newest posts, at most limit, to each reader who follows somebody: see
// [timelines.Delivery.Fill]. Functions may go on meanwhile. After a crash or an error, run it
// again: it reads what is there, and writes what is missing. progress gets the number of
// readers; nil: nobody. The result is right also if Timelines returns an error.
func Timelines(ctx context.Context, s *assembly.System, limit int, progress func(readers int64)) (FilledTimelines, error) {
	var readers, brought atomic.Int64
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(readersAtOnce)
	fillOne := func(reader string, audiences []string) {
		work.Go(func() error {
			n, err := s.Timelines.Fill(ctx, reader, audiences, limit)
			brought.Add(int64(n))
			if err != nil {
				return fmt.Errorf("fill the timeline of %s: %w", s.DB.User(reader).Path, err)
			}
			if done := readers.Add(1); progress != nil {
				progress(done)
			}
			return nil
		})
	}
	var reader string
	var audiences []string
	var failed error
	// In the order of names, the edges of a reader are together.
	q := s.DB.Client.CollectionGroup(names.Following).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	for edge, err := range store.Documents(ctx, q) {
		if failed = err; err != nil {
			break
		}
		user := edge.Ref.Parent.Parent
		if user == nil || user.Path != s.DB.User(user.ID).Path {
			continue // an app's own collection
		}
		if user.ID != reader && reader != "" {
			fillOne(reader, audiences)
			audiences = nil
		}
		reader, audiences = user.ID, append(audiences, edge.Ref.ID)
	}
	if failed == nil && reader != "" {
		fillOne(reader, audiences)
	}
	err := work.Wait()
	if err == nil && failed != nil {
		err = fmt.Errorf("fill timelines: %w", failed)
	}
	return FilledTimelines{Readers: readers.Load(), Posts: brought.Load()}, err
}
