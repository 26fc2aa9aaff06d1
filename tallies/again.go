package tallies

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// newestPosts is the number of posts of an account, and of posts that name it, that Again looks at.
const newestPosts = 100

// Again tallies the notifications that account u may have, after u has ended a block, hides less, or has its profile
// again. It tallies the same notifications as Less, the requests, and each day on which somebody began to follow u. It
// also tallies the newest hundred posts by u, and the newest hundred that name u, by createdAt. Notifications about
// older posts come with the post's next event, or by a repair. Beside the tallies, Again costs a read for u, and one
// for each subject.
func (x *Tallies) Again(ctx context.Context, u string) error {
	if !x.has(Notification(u, Request, "")) {
		return nil
	}
	if docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)}); err != nil || !schema.HasProfile(docs[0]) {
		return err
	}
	all, err := x.newestStored(ctx, u)
	if err != nil {
		return err
	}
	for s, err := range x.ofNoPost(ctx, u) {
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	posts := x.db.Client.Collection(x.db.Config.Collections().Posts)
	for _, about := range []struct {
		posts firestore.Query
		verbs []string
	}{
		{posts.Where(schema.FieldUserID, "==", u), []string{Like, Comment}},
		{posts.Where(schema.FieldTo, "array-contains", u), []string{Mention}},
	} {
		docs, err := schema.NewestFirst(about.posts).Limit(newestPosts).Select(schema.FieldUserID).Documents(ctx).GetAll()
		if err != nil {
			return err
		}
		for _, doc := range docs {
			for _, verb := range about.verbs {
				object := doc.Ref.ID
				if verb == Mention {
					object = schema.TextOf(doc, schema.FieldUserID)
				}
				all = append(all, Notification(u, verb, object))
			}
		}
	}
	return x.Tally(ctx, all...)
}

// Less tallies the newest notifications of account u, at most a hundred, after u hides more. Beside the
// tallies, it costs a read for each.
func (x *Tallies) Less(ctx context.Context, u string) error {
	if !x.db.Config.Notifications {
		return nil
	}
	all, err := x.newestStored(ctx, u)
	if err != nil {
		return err
	}
	return x.Tally(ctx, all...)
}

func (x *Tallies) newestStored(ctx context.Context, u string) ([]Subject, error) {
	docs, err := x.notes(u).OrderBy(fieldAt, firestore.Desc).Limit(mostStored).Select(fieldActors).Documents(ctx).GetAll()
	return subjectsOf(u, docs), err
}

// Told yields the stored notifications of account u, and the notifications that u may have apart from posts:
// follow requests, and each of the last ninety days on which somebody began to follow u. It costs a read for
// each stored notification, and for each day.
func (x *Tallies) Told(ctx context.Context, u string) iter.Seq2[Subject, error] {
	return func(yield func(Subject, error) bool) {
		for doc, err := range store.Documents(ctx, x.notes(u).OrderBy(firestore.DocumentID, firestore.Asc).Select(fieldActors)) {
			if err != nil {
				yield(Subject{}, err)
				return
			}
			if !yield(storedSubject(u, doc), nil) {
				return
			}
		}
		x.ofNoPost(ctx, u)(yield)
	}
}

// ofNoPost yields the notifications that account u may have, except those about posts.
func (x *Tallies) ofNoPost(ctx context.Context, u string) iter.Seq2[Subject, error] {
	return func(yield func(Subject, error) bool) {
		followers := x.db.User(u).Collection(x.db.Config.Collections().Followers).Where(schema.FieldCreatedAt, ">=", x.now().Add(-Kept))
		before, s := schema.LatestTime, Notification(u, Request, "")
		for yield(s, nil) { // from day to day
			docs, err := followers.Where(schema.FieldCreatedAt, "<", before).OrderBy(schema.FieldCreatedAt, firestore.Desc).Limit(1).
				Select(schema.FieldCreatedAt).Documents(ctx).GetAll()
			if err != nil {
				yield(Subject{}, err)
				return
			}
			if len(docs) == 0 {
				return
			}
			at, _ := schema.FieldsOf(docs[0], schema.FieldCreatedAt)[schema.FieldCreatedAt].(time.Time)
			before, s = at.UTC().Truncate(24*time.Hour), Notification(u, Follow, DayOf(at))
		}
	}
}
