package relations

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker"
)

// Index is the relation index of one database. It is safe for concurrent use;
// one for each process is enough, and shares work between its events.
type Index struct {
	client *firestore.Client
	engine *chunker.Engine
	opts   Options

	members *group[string, string, membership]   // by author; items are followers
	syncs   *group[indexKey, struct{}, struct{}] // by index document
	slots   chan struct{}                        // relations being written
	flight  flight                               // follower arrays held meanwhile
}

// indexKey names an index document.
type indexKey struct{ author, index string }

// New makes an Index and registers its tasks with engine. The client stays the
// caller's. It costs no requests.
func New(client *firestore.Client, engine *chunker.Engine, opts Options) (*Index, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("relations: %w", err)
	}
	x := &Index{client: client, engine: engine, opts: opts.withDefaults()}
	x.slots, x.flight = make(chan struct{}, x.opts.Parallel), newFlight(flightBytes)
	x.members = &group[string, string, membership]{
		run: x.commitMembers, fits: fitsBatch, timeout: batchTimeout, pace: membersPace,
	}
	x.syncs = &group[indexKey, struct{}, struct{}]{
		run: func(ctx context.Context, key indexKey, batch []struct{}) ([]struct{}, error) {
			return batch, x.sync(ctx, key.author, key.index)
		},
		timeout: batchTimeout, pace: syncPace,
	}
	for _, task := range x.tasks() {
		engine.Register(task)
	}
	return x, nil
}

// each calls work for every item, as many at once as the process has slots
// for, and counts those that were stale. Any other error ends it.
func each[T any](ctx context.Context, x *Index, items []T, work func(context.Context, T) error) (stale int, err error) {
	var stales atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, item := range items {
		select {
		case x.slots <- struct{}{}:
		case <-ctx.Done():
			if err := group.Wait(); err != nil {
				return 0, err
			}
			return 0, context.Cause(ctx)
		}
		group.Go(func() error {
			defer func() { <-x.slots }()
			err := chunker.Guard(func() error { return work(ctx, item) })
			if isStale(err) {
				stales.Add(1)
				return nil
			}
			return err
		})
	}
	err = group.Wait()
	return int(stales.Load()), err
}

// maxRounds bounds how often a reconciler plans again because documents
// changed under it, before it asks for the event to come again.
const maxRounds = 20

// untilSettled calls round until it finds nothing stale, with a pause after each
// time that it did: who wrote meanwhile has to get to an end too.
func untilSettled(ctx context.Context, round func() (stale int, err error)) error {
	for try := range maxRounds {
		stale, err := round()
		if err != nil && !errors.Is(err, errStale) {
			return err
		}
		if err == nil && stale == 0 {
			return nil
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
	return ErrContention
}
