package relations

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

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
		run: x.commitMembers, fits: fitsBatch, timeout: batchTimeout, pace: membersPace, logger: x.opts.Logger,
	}
	x.syncs = &group[indexKey, struct{}, struct{}]{
		run: func(ctx context.Context, key indexKey, batch []struct{}) []outcome[struct{}] {
			return allFailed[struct{}](len(batch), x.mendSoon(ctx, x.sync(ctx, key.author, key.index)))
		},
		timeout: batchTimeout, pace: syncPace, logger: x.opts.Logger,
	}
	for _, task := range x.tasks() {
		engine.Register(task)
	}
	return x, nil
}

// maxRounds bounds how often a reconciler plans again because documents
// changed under it, before it asks for the event to come again.
const maxRounds = 20

// untilSettled calls round until it finds nothing stale, with a pause after each
// time that it did: who wrote meanwhile has to get to an end too. A round that
// has met damaged documents, and nothing worse, is followed by another too.
func untilSettled(ctx context.Context, round func() (stale int, err error)) error {
	for try := range maxRounds {
		stale, err := round()
		if err != nil && !errors.Is(err, errStale) && (stale == 0 || !onlyDamaged(err)) {
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
