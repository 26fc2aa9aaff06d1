package jobs

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// redacted replaces the text of an error.
const redacted = "(removed: it named an account that is deleted)"

// Redact removes error texts for which names returns true, from jobs that are not done.
// Failed and canceled jobs stay until an operator decides. So does a job that waits for
// a retry, if it is canceled.
//
// Redact costs a read for each job that is running, failed or canceled, and one for
// each job that has failed since its last page: at least two. Each removed text costs
// another read and a write.
//
// A crash leaves texts: call Redact again. It misses a text that a step writes after
// the call.
func (s *Store) Redact(ctx context.Context, names func(text string) bool) error {
	// A queued job has an error only if it has attempts, because clearFailures clears both.
	for _, jobs := range []firestore.Query{
		s.collection().Where("state", "in", []State{Running, Failed, Canceled}), s.collection().Where("attempt", ">", 0),
	} {
		if err := s.redact(ctx, jobs, names); err != nil {
			return err
		}
	}
	return nil
}

// redact does what Redact does, for the jobs of one query.
func (s *Store) redact(ctx context.Context, of firestore.Query, names func(text string) bool) error {
	named := func(job *firestore.DocumentSnapshot) bool {
		message, _ := job.DataAt("error.message")
		text, _ := message.(string)
		return names(text)
	}
	jobs := of.Select("error").Documents(ctx)
	defer jobs.Stop()
	for {
		job, err := jobs.Next()
		if errors.Is(err, iterator.Done) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list jobs that are not done: %w", err)
		}
		if !named(job) {
			continue
		}
		err = s.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			now, err := tx.Get(job.Ref)
			if status.Code(err) == codes.NotFound || err == nil && !named(now) {
				return nil
			}
			if err != nil {
				return err
			}
			return tx.Update(job.Ref, []firestore.Update{{Path: "error.message", Value: redacted}})
		})
		if err != nil {
			return fmt.Errorf("job %s: %w", job.Ref.ID, err)
		}
	}
}
