package jobdocs

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

// Redact removes the texts of errors that name somebody, from jobs of any state. Failed and
// canceled jobs stay until an operator decides. So does a job that waits for a retry, if it
// is canceled. names reports whether a text has name, with no byte of a word before or after
// it (see [InWord]).
//
// Redact costs a read for each job whose error has the first word of name, and at least one.
// Each removed text costs another read and a write.
//
// A crash leaves texts: call Redact again. It misses a text that a step writes after
// the call.
func (s *Store) Redact(ctx context.Context, name string, names func(text string) bool) error {
	named := func(job *firestore.DocumentSnapshot) bool {
		message, _ := job.DataAt("error.message")
		text, _ := message.(string)
		return names(text)
	}
	word, _ := cutWord(name)
	jobs := s.collection().Where("error.words", "array-contains", word).Select("error").Documents(ctx)
	defer jobs.Stop()
	for {
		job, err := jobs.Next()
		if errors.Is(err, iterator.Done) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list jobs whose error names an account: %w", err)
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
			return tx.Update(job.Ref, []firestore.Update{{Path: "error.message", Value: redacted}, {Path: "error.words", Value: nil}})
		})
		if err != nil {
			return fmt.Errorf("job %s: %w", job.Ref.ID, err)
		}
	}
}
