package repair

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
)

// markInPart is how many relations are marked at once.
const markInPart = 500

// markAudiences names the audience of the relations that name none: their author, as the
// earlier release meant that wrote them. It does so for all authors, or for one. Each
// relation costs a read and a write, both without followers. Where the post's audience is
// another by now, verify finds the relation next.
//
// A crash leaves the rest as it was: verify reports it again. A relation that changes
// meanwhile is left to the next round.
func (x *Repairer) markAudiences(ctx context.Context, author string, did func(int)) error {
	q := x.db.Relations().Query
	if author != "" {
		q = q.Where(schema.FieldUserID, "==", author)
	}
	var failed work.Failures
	var part []*firestore.DocumentSnapshot
	mark := func() {
		_, err := work.Each(ctx, x.graph.Pool, part, func(ctx context.Context, doc *firestore.DocumentSnapshot) error {
			_, err := doc.Ref.Update(ctx, []firestore.Update{
				{Path: schema.FieldAudience, Value: schema.TextOf(doc, schema.FieldUserID)},
			}, firestore.LastUpdateTime(doc.UpdateTime))
			return err
		})
		failed.Add(err)
		did(len(part))
		part = nil
	}
	for doc, err := range store.Documents(ctx, q.Select(schema.FieldAudience, schema.FieldUserID)) {
		if err != nil {
			return fmt.Errorf("relations without an audience: %w", err)
		}
		fields := schema.FieldsOf(doc, schema.FieldAudience)
		if _, marked := fields[schema.FieldAudience]; marked || schema.CheckAccountID(schema.TextOf(doc, schema.FieldUserID)) != nil {
			continue
		}
		if part = append(part, doc); len(part) == markInPart {
			mark()
		}
	}
	mark()
	if err := failed.Joined(); err != nil {
		return fmt.Errorf("relations without an audience: %w", err)
	}
	return nil
}
