package feed

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// pullParallel is how many queries of a page run at once. A page has at most 70 queries, so it takes as long as
// five. An instance that serves 40 pages has at most 640 open queries, which wait for the connections' 400 streams.
const pullParallel = 16

// pullQuery is a query of posts, and the fields that it reads.
type pullQuery struct {
	firestore.Query
	fields []string
}

// queries returns the queries that find all posts that the reader may read. For each 30 followed accounts, one query
// finds the posts for these accounts, and one the posts by these accounts: posts that an earlier release or a server
// wrote have no field audience. Other queries find the posts that name the reader, and the reader's own posts, if these
// are in feeds.
func (p *pull) queries() (all []pullQuery) {
	posts := p.feed.client.Collection(p.feed.names.Posts)
	fields := []string{schema.FieldUserID, schema.FieldCreatedAt, schema.FieldAudience, schema.FieldHidden}
	for ids := range slices.Chunk(p.follows.ids, store.MaxIn) {
		all = append(all, pullQuery{posts.Where(schema.FieldAudience, "in", ids), fields})
		if !p.feed.opts.PostsFilled {
			all = append(all, pullQuery{posts.Where(schema.FieldUserID, "in", ids), fields})
		}
	}
	all = append(all, pullQuery{posts.Where(schema.FieldTo, "array-contains", p.reader), append([]string{schema.FieldTo}, fields...)})
	if !p.feed.opts.NoOwnPosts {
		all = append(all, pullQuery{posts.Where(schema.FieldUserID, "==", p.reader), fields})
	}
	return all
}

// run returns the results of each query after a position, at most limit entries each. Queries and lists have the same
// places.
func (p *pull) run(ctx context.Context, queries map[int]pullQuery, after position, limit int) ([]list, error) {
	lists := make([]list, len(p.lists))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pullParallel)
	for n, q := range queries {
		group.Go(func() error {
			docs, err := newest(q.Query, after, p.newer).Select(q.fields...).Limit(limit).Documents(ctx).GetAll()
			for _, doc := range docs {
				lists[n].entries = append(lists[n].entries, p.entry(doc, q.fields))
			}
			lists[n].more = len(docs) == limit
			return err
		})
	}
	return lists, group.Wait()
}

// newest returns the posts of q after a position, newest first. It leaves out posts whose createdAt is no timestamp,
// which would come first. Unless newer is zero, it ends before posts of that time.
func newest(q firestore.Query, after position, newer time.Time) firestore.Query {
	if !newer.IsZero() {
		q = q.Where(schema.FieldCreatedAt, ">", newer)
	}
	q = q.Where(schema.FieldCreatedAt, "<=", after.createdAt).
		OrderBy(schema.FieldCreatedAt, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc)
	if after.name != "" {
		q = q.StartAfter(after.createdAt, after.name)
	}
	return q
}
