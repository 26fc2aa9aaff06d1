package ranking

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Of the comments on a post, the newest maxLifting count for an entry that comes after them; and of the
// accounts that they concern, schema.MaxMatches, those with the highest at.
const maxLifting = 100

// Lifts lifts post p for those of readers whom its comments concern: their entries may have come after
// the comments, by a fan-out, a follow or a rebuild. It is called once the entries are there. So of a
// comment and an entry that come at once, one sees the other: [Ranking.Comment] the entry, or Lifts the
// comment.
//
// It costs a read for each of the newest maxLifting comments, at least one. If there is one, it costs
// another of the post; for each account that it concerns one for each reader who is not lifted yet; and
// for each reader who is, a read, and a write if the entry is lower.
//
// Twice, it changes nothing. A crash leaves it to whoever called it.
func (x *Ranking) Lifts(ctx context.Context, p string, readers []string) error {
	comments, err := x.db.Post(p).Collection(names.Comments).OrderBy(schema.FieldCreatedAt, firestore.Desc).Limit(maxLifting).Documents(ctx).GetAll()
	if err != nil || len(comments) == 0 {
		return err
	}
	post, err := x.post(ctx, p)
	if err != nil || post == nil {
		return err
	}
	highest := map[string]int64{} // at by account
	for _, snap := range comments {
		accounts, at, err := x.concerns(ctx, commentOf(snap, *post))
		if err != nil { // one comment holds up nobody's entries: its own event is tried again
			x.db.Config.Logger.WarnContext(ctx, "the app's ranking of a comment failed", logging.Document, snap.Ref.Path, logging.Error, err)
			continue
		}
		for _, account := range accounts {
			highest[account] = max(highest[account], at)
		}
	}
	accounts := slices.SortedFunc(maps.Keys(highest), func(a, b string) int {
		return cmp.Or(cmp.Compare(highest[b], highest[a]), cmp.Compare(a, b))
	})
	for _, account := range accounts[:min(len(accounts), schema.MaxMatches)] {
		some, err := x.following(ctx, account, readers)
		if err == nil && len(some) > 0 {
			err = x.timelines.Lift(ctx, p, highest[account], some)
		}
		if err != nil {
			return fmt.Errorf("lifting of %s: %w", x.db.Post(p).Path, err)
		}
		if readers = slices.DeleteFunc(slices.Clone(readers), func(r string) bool { return slices.Contains(some, r) }); len(readers) == 0 {
			return nil
		}
	}
	return nil
}
