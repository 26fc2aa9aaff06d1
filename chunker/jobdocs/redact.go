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

// Redact removes the texts of errors that name an account, from jobs of any state. Failed and canceled jobs
// stay until an operator decides. A job that waits for a retry also stays, if it is canceled. names reports
// whether a text contains name as a whole word (see [InWord]).
//
// Redact costs a read for each job whose error has the first word of name, and at least one. Each removed text
// costs another read and a write.
//
// After a crash, some texts remain: call Redact again. Redact misses a text that a step writes after the call.
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
