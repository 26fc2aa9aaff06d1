package designs

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
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

// bulk writes one document for each item and waits for the result of each: the
// BulkWriter's End waits for none that is tried again. The client library sizes
// the requests, by bytes and to twenty writes.
func bulk[T any](ctx context.Context, client *firestore.Client, items []T, write func(*firestore.BulkWriter, T) (*firestore.BulkWriterJob, error)) error {
	w := client.BulkWriter(ctx)
	var jobs []*firestore.BulkWriterJob
	var errs []error
	for _, item := range items {
		job, err := write(w, item)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		jobs = append(jobs, job)
	}
	w.End()
	for _, job := range jobs {
		if _, err := job.Results(); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("bulk write: %w", err)
	}
	return ctx.Err()
}

// sum is both counts together.
func sum(a, b wire.Counts) wire.Counts {
	return wire.Counts{
		Reads: a.Reads + b.Reads, Writes: a.Writes + b.Writes, Deletes: a.Deletes + b.Deletes,
		Requests: a.Requests + b.Requests, Sent: a.Sent + b.Sent, Received: a.Received + b.Received,
	}
}
