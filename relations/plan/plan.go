package plan

import (
	"slices"
	"time"

	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Todo is the work to do on the relations of a post.
type Todo struct {
	Create  []string   // index ids whose relation is missing, or belongs to another author, audience or recipients
	Refresh []Relation // copied fields or expireAt differ
	Drop    []Relation // should not exist
	Narrow  bool       // the direct relation names people whom the post no longer names
}

// Narrowed returns the work if create is not done: then the direct relation stays, without the people whom the post no
// longer names.
func (t Todo) Narrowed(create []string) Todo {
	dropped := len(t.Drop)
	if slices.Contains(create, schema.DirectIndex) {
		t.Drop = slices.DeleteFunc(t.Drop, func(r Relation) bool { return r.IndexID == schema.DirectIndex })
	}
	t.Narrow = len(t.Drop) < dropped
	return t
}

// Size returns how many relations are to be written or deleted.
func (t Todo) Size() int { return len(t.Create) + len(t.Refresh) + len(t.Drop) }

// IndexesOf returns the index ids of the relations that a post should have. indexes are
// the index documents of its audience.
func IndexesOf(post *posts.Post, indexes []string) []string {
	if post != nil && post.Audience == "" {
		indexes = nil
	}
	if post == nil || len(post.Recipients) == 0 {
		return indexes
	}
	return slices.Concat([]string{schema.DirectIndex}, indexes)
}

// Compare compares a post's relations with the relations that it should have: one for each id in indexes, as
// [IndexesOf] returns them. A nil post is gone, or has no author. Ids and relations not passed in are ignored.
//
// Compare creates no relation for a post that is now older than the horizon. It keeps the post's existing relations
// right until Firestore deletes them.
func Compare(post *posts.Post, indexes []string, relations []Relation, h schema.Horizon, now time.Time) Todo {
	var todo Todo
	missing := map[string]bool{}
	if post != nil && h.Has(post.CreatedAt(), now) {
		for _, i := range indexes {
			missing[i] = true
		}
	}
	for _, r := range relations {
		switch {
		case post == nil:
			todo.Drop = append(todo.Drop, r)
		case !r.IsOf(*post) && missing[r.IndexID]:
			// The relation of the new author, audience or recipients has the same id and replaces it.
		case !r.IsOf(*post):
			todo.Drop = append(todo.Drop, r)
		default:
			delete(missing, r.IndexID)
			if !schema.SameFields(r.Fields, post.Fields) || !r.ExpireAt.Equal(schema.ExpireAt(post.CreatedAt(), h.Kept)) {
				todo.Refresh = append(todo.Refresh, r)
			}
		}
	}
	for _, i := range indexes {
		if missing[i] {
			todo.Create = append(todo.Create, i)
		}
	}
	return todo
}
