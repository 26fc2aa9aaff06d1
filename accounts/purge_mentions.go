package accounts

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// requestsTo returns the requests to follow u.
func (x *Lifecycle) requestsTo(u string) firestore.Query {
	return x.db.User(u).Collection(names.Requests).Select()
}

// requestsBy returns the requests by u to follow others.
func (x *Lifecycle) requestsBy(u string) firestore.Query {
	return x.db.Client.CollectionGroup(names.Requests).Where(schema.FieldFollowerID, "==", u).Select()
}

// removeRequests deletes requests that are as they were listed. It keeps those made since
// the account is back, and documents of other collections of this name.
func (x *Lifecycle) removeRequests(ctx context.Context, job chunker.Job, requests []*firestore.DocumentSnapshot) (int, error) {
	a, err := x.accountOf(ctx, job)
	if err != nil {
		return 0, err
	}
	requests = slices.DeleteFunc(slices.Clone(requests), func(doc *firestore.DocumentSnapshot) bool {
		user := doc.Ref.Parent.Parent
		return a.keeps(doc) || user == nil || user.Path != x.db.User(user.ID).Path
	})
	return work.Each(ctx, x.graph.Pool, requests, store.DeleteAsListed)
}

// mentionsOf returns the posts that name u as a recipient or in refs.
func (x *Lifecycle) mentionsOf(u string) firestore.Query {
	contains := func(field string) firestore.EntityFilter {
		return firestore.PropertyFilter{Path: field, Operator: "array-contains", Value: u}
	}
	fields := []string{schema.FieldTo, schema.FieldRefs}
	for _, f := range x.db.Options.RefFields {
		fields = append(fields, f.Post)
	}
	return x.db.Client.Collection(x.db.Options.Collections.Posts).
		WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{contains(schema.FieldTo), contains(schema.FieldRefs)}}).
		Select(fields...)
}

// forgetMentions removes u from the fields of posts that mentionsOf found. The events of
// the posts update their relations.
func (x *Lifecycle) forgetMentions(ctx context.Context, job chunker.Job, posts []*firestore.DocumentSnapshot) (int, error) {
	u := job.Args[schema.ArgAuthor]
	return x.updateWhileGone(ctx, job, posts, func(post *firestore.DocumentSnapshot) (updates []firestore.Update) {
		for name, value := range schema.FieldsOf(post, schema.FieldTo, schema.FieldRefs) {
			if ids, _ := value.([]any); slices.Contains(ids, any(u)) {
				updates = append(updates, firestore.Update{Path: name, Value: firestore.ArrayRemove(u)})
			}
		}
		for _, f := range x.db.Options.RefFields {
			copies, _ := schema.FieldsOf(post, f.Post)[f.Post].(map[string]any)
			if _, ok := copies[u]; ok {
				updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{f.Post, u}, Value: firestore.Delete})
			}
		}
		return updates
	})
}

// groupsOf returns the groups whose owner is u.
func (x *Lifecycle) groupsOf(u string) firestore.Query {
	return x.db.Client.Collection(x.db.Options.Collections.Users).
		Where(schema.FieldOwnerID, "==", u).
		Where(firestore.DocumentID, ">=", x.db.User("g_")).
		Where(firestore.DocumentID, "<", x.db.User("g`")). // "`" follows "_"
		Select()
}

// disownGroups removes the owner of groups. A server may name another one.
func (x *Lifecycle) disownGroups(ctx context.Context, job chunker.Job, groups []*firestore.DocumentSnapshot) (int, error) {
	return x.updateWhileGone(ctx, job, groups, func(*firestore.DocumentSnapshot) []firestore.Update {
		return []firestore.Update{{Path: schema.FieldOwnerID, Value: firestore.Delete}}
	})
}

// updateWhileGone updates documents of others that are as they were listed. It counts the
// stale ones. Documents may be too large for one transaction: then each half has its own.
//
// A crash between two transactions leaves the other documents; the page is repeated.
func (x *Lifecycle) updateWhileGone(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot, change func(*firestore.DocumentSnapshot) []firestore.Update) (int, error) {
	update := func(part []*firestore.DocumentSnapshot) error {
		return x.whileGone(ctx, job, func(tx *firestore.Transaction) error {
			for _, doc := range part {
				if updates := change(doc); len(updates) > 0 {
					if err := tx.Update(doc.Ref, updates, firestore.LastUpdateTime(doc.UpdateTime)); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return work.Each(ctx, x.graph.Pool, store.Chunks(docs, purgeBatch), func(_ context.Context, part []*firestore.DocumentSnapshot) error {
		return work.BisectRejected(part, update, func(_ *firestore.DocumentSnapshot, rejected error) error { return rejected })
	})
}

// whileGone runs write in a transaction that reads the lease and the user document: see gone.
func (x *Lifecycle) whileGone(ctx context.Context, job chunker.Job, write func(*firestore.Transaction) error) error {
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := x.gone(tx, job); err != nil {
			return err
		}
		return write(tx)
	})
}

// deleteWhileGone deletes documents as they were listed, unless the account is back: a document
// that the new life needs too may not have changed. Their index entries may be too many for one
// transaction.
func (x *Lifecycle) deleteWhileGone(ctx context.Context, job chunker.Job, docs []*firestore.DocumentSnapshot) error {
	return x.whileGone(ctx, job, func(tx *firestore.Transaction) error {
		for _, doc := range docs {
			if err := tx.Delete(doc.Ref, firestore.LastUpdateTime(doc.UpdateTime)); err != nil {
				return err
			}
		}
		return nil
	})
}

// gone reads the lease and the user document in a transaction. If the account is back, it returns
// ErrStale: the documents have not changed then, so that no precondition detects it. The page lists
// them again, and finds that out.
func (x *Lifecycle) gone(tx *firestore.Transaction, job chunker.Job) error {
	if err := x.engine.HeldIn(tx, job); err != nil {
		return err
	}
	user, err := store.GetMaybe(tx, x.db.User(job.Args[schema.ArgAuthor]))
	if err == nil && schema.HasProfile(user) {
		err = store.ErrStale
	}
	return err
}
