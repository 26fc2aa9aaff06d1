package tallies

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Wrong is a document that differs from the counted subject.
type Wrong struct {
	Document *firestore.DocumentRef
	Problem  string // without ids
}

// Check counts a subject, and returns the error in its document; nil: there is none, or the configuration does
// not have the subject. It costs the same as [Tallies.Tally] without a difference.
func (x *Tallies) Check(ctx context.Context, s Subject) (*Wrong, error) {
	if !x.has(s) {
		return nil, nil //nolint:nilnil // nothing is wrong
	}
	now, err := x.read(ctx, s)
	if err != nil {
		return nil, err
	}
	due, err := x.due(ctx, s, now, ofRepair)
	if err != nil || now.says.says(due) || x.expires(now, due) {
		return nil, err
	}
	return &Wrong{x.ref(s), problem(s, now, due)}, nil
}

// expires reports whether a superfluous notification has expired: Firestore deletes it within about a day.
func (x *Tallies) expires(now state, due content) bool {
	at, dated := now.says[schema.FieldExpireAt].(time.Time)
	return due[fieldAt] == nil && dated && at.Before(x.now())
}

func problem(s Subject, now state, due content) string {
	switch {
	case s.Number != "":
		return fmt.Sprintf("counts.%s is %v, should be %v", s.Number, now.says[s.Number], due[s.Number])
	case due[fieldAt] == nil:
		return "the notification tells of nobody"
	case now.says[fieldAt] == nil:
		return fmt.Sprintf("the notification is missing: its count should be %v", due[schema.FieldCount])
	case !schema.SameValue(now.says[schema.FieldCount], due[schema.FieldCount]):
		return fmt.Sprintf("count of the notification is %v, should be %v", now.says[schema.FieldCount], due[schema.FieldCount])
	}
	return "the notification names others than it should, or another time"
}

// Mend corrects the documents of subjects for a repair, without jobs, however large the subjects are. It
// returns [schema.ErrContention] for a subject that keeps changing.
func (x *Tallies) Mend(ctx context.Context, subjects ...Subject) error {
	for _, s := range subjects {
		if !x.has(s) {
			continue
		}
		now, err := x.read(ctx, s)
		atRest := false
		if err == nil {
			atRest, err = x.settle(ctx, s, now, ofRepair)
		}
		if err == nil && !atRest {
			err = schema.ErrContention
		}
		if err != nil {
			return fmt.Errorf("mend %s: %w", x.ref(s).Path, err)
		}
	}
	return nil
}
