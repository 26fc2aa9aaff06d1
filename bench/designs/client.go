package designs

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/wire"
)

// metered is a client whose operations are counted.
func metered(ctx context.Context, project, host string) (*firestore.Client, *wire.Meter, error) {
	meter := &wire.Meter{}
	client, err := wire.Open(ctx, project, host, meter.Interceptor())
	return client, meter, err
}

// readPosts are the posts, entries or relations that q finds.
func readPosts(ctx context.Context, q firestore.Query) ([]Post, error) {
	docs, err := q.Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	found := make([]Post, len(docs))
	for n, doc := range docs {
		if err := doc.DataTo(&found[n]); err != nil {
			return nil, err
		}
		if found[n].ID == "" { // a post document
			found[n].ID = doc.Ref.ID
		}
	}
	return found, nil
}

// sum is both counts together.
func sum(a, b wire.Counts) wire.Counts {
	return wire.Counts{
		Reads: a.Reads + b.Reads, Writes: a.Writes + b.Writes, Deletes: a.Deletes + b.Deletes,
		Requests: a.Requests + b.Requests, Sent: a.Sent + b.Sent, Received: a.Received + b.Received,
	}
}
