package designs

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/runtime/wire"
)

// inLimit is the most values that Firestore takes in an `in` filter (30 disjunctions).
const inLimit = 30

// FanOutOnRead copies nothing: a reader asks for the newest posts of those they
// follow, thirty authors a query, and merges the answers. It needs no functions.
type FanOutOnRead struct {
	client *firestore.Client
	meter  *wire.Meter
}

// NewFanOutOnRead is the design on an empty database of the emulator at host.
func NewFanOutOnRead(ctx context.Context, project, host string) (*FanOutOnRead, error) {
	client, meter, err := metered(ctx, project, host)
	return &FanOutOnRead{client, meter}, err
}

// Follow costs a write.
func (d *FanOutOnRead) Follow(ctx context.Context, follower, author string) error {
	_, err := d.following(follower).Doc(author).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
	return err
}

// Unfollow costs a delete.
func (d *FanOutOnRead) Unfollow(ctx context.Context, follower, author string) error {
	_, err := d.following(follower).Doc(author).Delete(ctx)
	return err
}

// Post costs a write.
func (d *FanOutOnRead) Post(ctx context.Context, p Post) error {
	_, err := d.client.Collection(posts).Doc(p.ID).Set(ctx, postData(p))
	return err
}

// Edit costs a write.
func (d *FanOutOnRead) Edit(ctx context.Context, p Post) error { return d.Post(ctx, p) }

// Delete costs a delete.
func (d *FanOutOnRead) Delete(ctx context.Context, p Post) error {
	_, err := d.client.Collection(posts).Doc(p.ID).Delete(ctx)
	return err
}

// Feed costs a read for each author that the reader follows, and for each
// thirty of them up to limit reads more (at least one).
func (d *FanOutOnRead) Feed(ctx context.Context, reader string, limit int) ([]Post, error) {
	followed, err := d.following(reader).Select().Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	parts := slices.Collect(slices.Chunk(followed, inLimit))
	pages := make([][]Post, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for n, part := range parts {
		authors := make([]string, len(part))
		for i, doc := range part {
			authors[i] = doc.Ref.ID
		}
		group.Go(func() (err error) {
			pages[n], err = readPosts(ctx, d.client.Collection(posts).Where("userId", "in", authors).
				OrderBy("createdAt", firestore.Desc).Limit(limit))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	page := slices.Concat(pages...)
	slices.SortFunc(page, func(a, b Post) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return page[:min(limit, len(page))], nil
}

// Settle has nothing to wait for.
func (d *FanOutOnRead) Settle(context.Context) error { return nil }

// Counts is what has been billed so far.
func (d *FanOutOnRead) Counts() wire.Counts { return d.meter.Counts() }

func (d *FanOutOnRead) following(reader string) *firestore.CollectionRef {
	return d.client.Collection(users).Doc(reader).Collection(following)
}
