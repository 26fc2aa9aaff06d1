package entries

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// liftedAtOnce is how many entries of a post are lifted at once.
const liftedAtOnce = 500

// lift lifts the entries of a post in all timelines by its comments, including comments whose events were lost. If
// comments lift posts, it costs a read for each post. A post with comments also costs [ranking.Ranking.Lifts], and a
// read for each entry.
func (c *care) lift(ctx context.Context, p string) error {
	if !c.mend || !c.Lifting() {
		return nil
	}
	if some, err := c.has(ctx, c.db.Post(p).Collection(names.Comments).Query); err != nil || !some {
		return err
	}
	q := c.db.Client.CollectionGroup(names.Timeline).Where(layout.FieldPosts, "array-contains", p).Select()
	var after *firestore.DocumentRef
	for {
		docs, err := store.ListPage(ctx, q, after, liftedAtOnce)
		if err != nil || len(docs) == 0 {
			return err
		}
		var readers []string
		for _, doc := range docs {
			if user := doc.Ref.Parent.Parent; user != nil && user.Path == c.db.User(user.ID).Path {
				readers = append(readers, user.ID)
			}
		}
		if err := c.LiftAsCommented(ctx, p, readers); err != nil || len(docs) < liftedAtOnce {
			return err
		}
		after = docs[len(docs)-1].Ref
	}
}
