package relations

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/batch"
)

// Index is the relation index of one database. It is safe for concurrent use. Make one
// for each process, so that its events share work.
type Index struct {
	client *firestore.Client
	engine *chunker.Engine
	opts   Options

	members *batch.Group[string, string, membership]   // by author; items are followers
	syncs   *batch.Group[indexKey, struct{}, struct{}] // by index document
	memory  *batch.Limiter                             // writes of relations, and the follower arrays that they hold
}

// indexKey names an index document.
type indexKey struct{ author, index string }

// New makes an Index and registers its tasks with engine. The caller keeps and closes
// the client. New sends no requests.
func New(client *firestore.Client, engine *chunker.Engine, opts Options) (*Index, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("relations: %w", err)
	}
	x := &Index{client: client, engine: engine, opts: opts.withDefaults()}
	x.memory = batch.NewLimiter(memoryBudget, x.opts.Parallel)
	x.members = &batch.Group[string, string, membership]{
		Run: x.commitMembers, Fits: fitsBatch, Timeout: batchTimeout, Pace: membersPace, Logger: x.opts.Logger,
	}
	x.syncs = &batch.Group[indexKey, struct{}, struct{}]{
		Run: func(ctx context.Context, b *batch.Batch, key indexKey, calls []struct{}) []batch.Outcome[struct{}] {
			return batch.AllFailed[struct{}](len(calls), x.mendSoon(ctx, x.sync(ctx, b, key.author, key.index)))
		},
		Timeout: batchTimeout, Pace: syncPace, Logger: x.opts.Logger,
	}
	for _, task := range x.tasks() {
		engine.Register(task)
	}
	return x, nil
}

// maxRounds limits how often a reconciler plans again because documents changed. After
// that it returns an error, and the event is redelivered.
const maxRounds = 20

// untilSettled calls round until it finds nothing stale. It pauses between rounds, so
// that other writers can finish. It also calls round again after a round that found
// something stale and failed only at damaged documents.
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
