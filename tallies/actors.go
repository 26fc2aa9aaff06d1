package tallies

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// mostActors is how many actors a notification names.
const mostActors = 5

// looks are how many of the newest acts are read for its actors. The first is as many as it names and one of the account's
// own. The second follows where these are of few people, and the third where they are of nobody to tell of.
var looks = []int{mostActors + 1, 14, 80}

// actor is who has acted, and when they did for the last time.
type actor struct {
	id string
	at time.Time
}

// newest returns whom a notification names, the newest first: not the account itself, nor whom it blocks, nor what it hides. It
// looks at the newest hundred acts. It costs a read for each that it reads, at least one and most often at most six, and
// one for blocks, or one for each who is blocked.
func (x *Tallies) newest(ctx context.Context, r *reader, a acts) (told []actor, err error) {
	if a.one.id != "" {
		return x.tellable(ctx, r, a.kind, []actor{a.one})
	}
	q := schema.NewestFirst(a.all).Select(schema.FieldUserID, schema.FieldCreatedAt)
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
		if len(docs) < limit || len(told) >= mostActors || n > 0 && len(told) > 0 {
			break
		}
		q = q.StartAfter(docs[limit-1])
	}
	return told[:min(len(told), mostActors)], nil
}

// mostNames is how many documents a query finds by their names.
const mostNames = 30

// tellable returns those of actors whom the account does not block, and whose acts it does not hide.
func (x *Tallies) tellable(ctx context.Context, r *reader, kind string, some []actor) ([]actor, error) {
	some = slices.DeleteFunc(some, func(a actor) bool { return r.Hides(a.id, kind) })
	blocked := map[string]bool{}
	for part := range slices.Chunk(some, mostNames) {
		var refs []*firestore.DocumentRef
		for _, a := range part {
			refs = append(refs, x.db.Block(r.id, a.id))
		}
		docs, err := x.db.User(r.id).Collection(names.Blocked).Where(firestore.DocumentID, "in", refs).Select().Documents(ctx).GetAll()
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			blocked[doc.Ref.ID] = true
		}
	}
	return slices.DeleteFunc(some, func(a actor) bool { return blocked[a.id] }), nil
}

// mentionIn returns the act of naming an account in a post; nil: it does not. An author's clock may be ahead: then it was when
// the post was made.
func mentionIn(post posts.Post, u string) *acts {
	if !slices.Contains(post.Recipients, u) {
		return nil
	}
	at := post.CreatedAt()
	if at.After(post.Created) {
		at = post.Created
	}
	return &acts{kind: post.Kind, one: actor{post.Author, at}}
}
