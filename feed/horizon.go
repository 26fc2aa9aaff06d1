package feed

import (
	"context"
	"errors"
	"fmt"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/schema"
)

// errHorizon means that posts may have no relations that are as new as the last one that a
// query found. So pull has to find them.
var errHorizon = errors.New("beyond the horizon")

// complete returns errHorizon unless all posts that are as new as the last of found have
// relations, or if there are no more, all posts. before is the horizon, read before the
// query that found them.
//
// A post has no relation only if as many as the horizon of its audience have one and are
// as new. The reader is in these. So there are fewer than that only if no post lacks its
// relation. That always holds, so the count may come after the query. The horizon is read
// on both sides, as another value may be stored meanwhile: the least decides. It costs
// one read, and none without a horizon.
func (s relations) complete(ctx context.Context, before schema.Horizon, found []entry, more bool) error {
	least := before.Feed
	if least == 0 {
		after, err := s.feed.horizons.Read(ctx)
		if err != nil || after.Feed == 0 {
			return err
		}
		least = after.Feed
	}
	q := Query(s.feed.client, s.reader)
	if more {
		q = q.Where(schema.FieldCreatedAt, ">=", found[len(found)-1].createdAt)
	}
	n, err := bulk.Count(ctx, q.Limit(least))
	if err != nil {
		return fmt.Errorf("count of relations: %w", err)
	}
	after, err := s.feed.horizons.Read(ctx)
	if err != nil {
		return err
	}
	if after.Feed > 0 {
		least = min(least, after.Feed)
	}
	if n >= int64(least) {
		return errHorizon
	}
	return nil
}
