package tallies

import (
	"context"
	"slices"
	"time"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// mostActors is how many actors a notification names.
const mostActors = 5

// looks are the numbers of newest acts to read for a notification's actors. The first is enough for the named actors
// and one act of the account itself. The second follows if these acts are by too few people. The third follows if none
// of these people can be named.
var looks = []int{mostActors + 1, 14, 80}

// actor is an account that acted, and the time of its last act.
type actor struct {
	id string
	at time.Time
}

// newest returns the actors that a notification names, the newest first. It leaves out the account itself,
// accounts that it blocks, and acts that it hides. It looks at the newest hundred acts. It costs a read for
// each act, at least one and usually at most six. It also costs one read for blocks, or one for each blocked
// actor.
func (x *Tallies) newest(ctx context.Context, r *reader, a *acts) (told []actor, err error) {
	q := schema.NewestFirst(a.all).Select(schema.FieldUserID, schema.FieldCreatedAt, schema.FieldTo, schema.FieldHidden, names.FieldKind)
	seen := map[string]bool{r.id: true}
	for n, limit := range looks {
		docs, err := q.Limit(limit).Documents(ctx).GetAll()
		if err != nil {
			return nil, err
		}
		var some []actor
		for _, doc := range docs {
			at, dated := schema.FieldsOf(doc, schema.FieldCreatedAt)[schema.FieldCreatedAt].(time.Time)
			if id := a.by(doc); dated && !seen[id] && schema.CheckAccountID(id) == nil {
				seen[id] = true
				some = append(some, actor{id, at})
			}
		}
		if some, err = x.tellable(ctx, r, a.kind, some); err != nil {
			return nil, err
		}
		told = append(told, some...)
		if len(docs) < limit || a.one || len(told) >= mostActors || n > 0 && len(told) > 0 {
			break
		}
		q = q.StartAfter(docs[limit-1])
	}
	return told[:min(len(told), mostActors)], nil
}

// tellable returns the actors whom the account does not block, and whose acts the account does not hide.
func (x *Tallies) tellable(ctx context.Context, r *reader, kind string, some []actor) ([]actor, error) {
	some = slices.DeleteFunc(some, func(a actor) bool { return r.Hides(a.id, kind) })
	ids := make([]string, len(some))
	for n, a := range some {
		ids[n] = a.id
	}
	blocked, err := store.Existing(ctx, x.db.User(r.id).Collection(names.Blocked), ids)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(some, func(a actor) bool { return blocked[a.id] }), nil
}
