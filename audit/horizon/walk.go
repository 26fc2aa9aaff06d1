package horizon

import (
	"context"
	"errors"
	"sync"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// parallel is how many audiences are looked at at once.
const parallel = 8

// walk looks at each audience that has index documents. If one fails, the others go on.
func (c *change) walk(ctx context.Context, fill bool) error {
	var mu sync.Mutex
	var failed work.Failures
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	last := ""
	q := c.DB.Client.CollectionGroup(names.FollowersIndex).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	for doc, err := range store.Documents(groupCtx, q) {
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		user := doc.Ref.Parent.Parent
		if user == nil || user.Path != c.DB.User(user.ID).Path || user.ID == last || schema.CheckAccountID(user.ID) != nil {
			continue
		}
		last = user.ID
		group.Go(func() error {
			filled, evicted, err := c.audience(groupCtx, user.ID, fill)
			mu.Lock()
			defer mu.Unlock()
			failed.Add(err)
			c.done.Audiences++
			c.done.Filled += int64(filled)
			c.done.Evicted += int64(evicted)
			if c.Progress != nil {
				c.Progress(c.done.Audiences)
			}
			return groupCtx.Err()
		})
	}
	return errors.Join(group.Wait(), failed.Joined())
}

// audience fills and evicts the posts of one audience.
func (c *change) audience(ctx context.Context, a string, fill bool) (filled, evicted int, err error) {
	if fill {
		if filled, err = c.Relations.Fill(ctx, a, c.n); err != nil {
			return filled, 0, err
		}
	}
	if c.n > 0 {
		evicted, err = c.Relations.Evict(ctx, a, c.n, schema.KeptAtMost(c.n))
	}
	return filled, evicted, err
}
