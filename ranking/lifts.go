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

// maxLifting is the number of a post's newest comments that count for a later entry. Of the accounts that these
// comments concern, only the schema.MaxMatches with the highest at count.
const maxLifting = 100

// Lifts lifts post p for the readers, among readers, whom its comments concern. A fan-out, a follow or a rebuild may
// bring their entries after the comments. Call Lifts once the entries are there. So if a comment and an entry come at
// once, either [Ranking.Comment] sees the entry, or Lifts sees the comment.
//
// Lifts costs a read for each of the newest maxLifting comments, at least one. If there is a comment, it also costs:
//
//   - a read of the post;
//   - for each account that the comments concern, a read for each reader who is not lifted yet;
//   - for each lifted reader, a read, and a write if the entry is lower.
//
// A repeated call changes nothing. After a crash, the caller has to repeat the call.
func (x *Ranking) Lifts(ctx context.Context, p string, readers []string) error {
	comments, err := x.db.Post(p).Collection(names.Comments).OrderBy(schema.FieldCreatedAt, firestore.Desc).Limit(maxLifting).Documents(ctx).GetAll()
	if err != nil || len(comments) == 0 {
		return err
	}
	post, err := x.post(ctx, p)
	if err != nil || post == nil {
		return err
	}
	highest := map[string]int64{} // by account: at
	for _, snap := range comments {
		accounts, at, err := x.concerns(ctx, commentOf(snap, *post))
		if err != nil { // one comment does not hold up the entries of others: its own event is retried
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
