package tallies

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Wrong is a document that says something else of a subject than is true.
type Wrong struct {
	Document *firestore.DocumentRef
	Problem  string // without ids
}

// Check counts a subject, and returns what is wrong with its document; nil: nothing, or the configuration does not have it. It
// costs what [Tallies.Tally] costs where nothing differs.
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

// expires reports whether a notification that should not be there has expired: Firestore deletes it within a day or so.
func (x *Tallies) expires(now state, due content) bool {
	at, dated := now.says[schema.FieldExpireAt].(time.Time)
	return due == nil && dated && at.Before(x.now())
}

func problem(s Subject, now state, due content) string {
	switch {
	case s.Number != "":
		return fmt.Sprintf("counts.%s is %v, should be %v", s.Number, now.says[s.Number], due[s.Number])
	case due == nil:
		return "the notification tells of nobody"
	case !now.exists:
		return fmt.Sprintf("the notification is missing: its count should be %v", due[schema.FieldCount])
	case !schema.SameValue(now.says[schema.FieldCount], due[schema.FieldCount]):
		return fmt.Sprintf("count of the notification is %v, should be %v", now.says[schema.FieldCount], due[schema.FieldCount])
	}
	return "the notification names others than it should, or another time"
}

// Mend has the documents of subjects say what is true, however large they are, without jobs: for repair. It returns
// [schema.ErrContention] for one that does not come to rest.
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
