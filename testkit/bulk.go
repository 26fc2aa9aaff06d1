package testkit

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
)

// WriteEach writes one document for each item, and waits for the result of each write. BulkWriter.End
// alone does not wait for retried writes. The client library sizes the requests: by bytes, and at most
// twenty writes.
func WriteEach[T any](ctx context.Context, client *firestore.Client, items []T, write func(*firestore.BulkWriter, T) (*firestore.BulkWriterJob, error)) error {
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
