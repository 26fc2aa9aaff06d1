package accounts

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/work"
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

// likesBy returns the likes by u. The events of their deletion count the posts' likes again.
func (x *Lifecycle) likesBy(u string) firestore.Query {
	return x.db.Client.CollectionGroup(names.Likes).Where(schema.FieldUserID, "==", u).Select()
}

// notificationsOf returns the notifications of u.
func (x *Lifecycle) notificationsOf(u string) firestore.Query {
	return x.db.User(u).Collection(names.Notifications).Select()
}

// removeClients deletes documents that clients wrote, if they are as they were listed. It keeps documents of other
// collections with the same name.
func (x *Lifecycle) removeClients(ctx context.Context, _ chunker.Job, docs []*firestore.DocumentSnapshot) (int, error) {
	return x.removeListed(ctx, slices.DeleteFunc(slices.Clone(docs), func(doc *firestore.DocumentSnapshot) bool {
		return x.isElsewhere(doc.Ref)
	}))
}

// removeOwn deletes documents below the account that are as they were listed.
func (x *Lifecycle) removeOwn(ctx context.Context, _ chunker.Job, docs []*firestore.DocumentSnapshot) (int, error) {
	return x.removeListed(ctx, docs)
}

// mentionsOf returns the posts that name u as a recipient or in refs.
func (x *Lifecycle) mentionsOf(u string) firestore.Query {
	contains := func(field string) firestore.EntityFilter {
		return firestore.PropertyFilter{Path: field, Operator: "array-contains", Value: u}
	}
	fields := []string{schema.FieldTo, schema.FieldRefs}
	for _, f := range schema.ParseProfileFields(x.db.Config.RefFields) {
		fields = append(fields, f.Post)
	}
	return x.db.Client.Collection(x.db.Config.Collections().Posts).
		WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{contains(schema.FieldTo), contains(schema.FieldRefs)}}).
		Select(fields...)
}

// pageMentions removes an account from the posts of others. A deleted group stays named in posts: no group gets its id
// again.
func (x *Lifecycle) pageMentions(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	if schema.IsGroup(job.Args[schema.ArgAuthor]) {
		return chunker.Page{}, nil
	}
	return x.walk(x.mentionsOf, x.forgetMentions)(ctx, job, after, limit)
}

// forgetMentions removes u from the fields of posts that mentionsOf found. The events of
// the posts update their relations.
func (x *Lifecycle) forgetMentions(ctx context.Context, job chunker.Job, posts []*firestore.DocumentSnapshot) (int, error) {
	u := job.Args[schema.ArgAuthor]
	return x.updateListed(ctx, posts, func(post *firestore.DocumentSnapshot) (updates []firestore.Update) {
		for name, value := range schema.FieldsOf(post, schema.FieldTo, schema.FieldRefs) {
			if ids, _ := value.([]any); slices.Contains(ids, any(u)) {
				updates = append(updates, firestore.Update{Path: name, Value: firestore.ArrayRemove(u)})
			}
		}
		for _, f := range schema.ParseProfileFields(x.db.Config.RefFields) {
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
	return x.db.Client.Collection(x.db.Config.Collections().Users).
		Where(schema.FieldOwnerID, "==", u).
		Where(firestore.DocumentID, ">=", x.db.User("g_")).
		Where(firestore.DocumentID, "<", x.db.User("g`")). // "`" follows "_"
		Select()
}

// disownGroups removes the owner of groups. A server may name another owner.
func (x *Lifecycle) disownGroups(ctx context.Context, _ chunker.Job, groups []*firestore.DocumentSnapshot) (int, error) {
	return x.updateListed(ctx, groups, func(*firestore.DocumentSnapshot) []firestore.Update {
		return []firestore.Update{{Path: schema.FieldOwnerID, Value: firestore.Delete}}
	})
}

// updateListed updates documents of others, if they are as they were listed. It counts the stale ones. After a crash,
// the page is repeated and updates the remaining documents.
func (x *Lifecycle) updateListed(ctx context.Context, docs []*firestore.DocumentSnapshot, change func(*firestore.DocumentSnapshot) []firestore.Update) (int, error) {
	return work.Each(ctx, x.graph.Pool, docs, func(ctx context.Context, doc *firestore.DocumentSnapshot) error {
		updates := change(doc)
		if len(updates) == 0 {
			return nil
		}
		_, err := doc.Ref.Update(ctx, updates, firestore.LastUpdateTime(doc.UpdateTime))
		return err
	})
}
