package accounts

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// Profile enqueues a job that rewrites the author fields of all posts of u, and the ref
// fields of all posts that refer to u, after u's user document has changed. generation
// names the change: a second call with it does nothing. If relations copy these fields
// too, the events of the posts update the relations.
//
// A post written at the same time with old values is corrected by its own event, which
// calls [Lifecycle.Sign].
func (x *Lifecycle) Profile(ctx context.Context, u, generation, eventID string) error {
	if err := schema.CheckAccountID(u); err != nil {
		return schema.BadDocument(x.db.Config.Collections().Users+"/"+u, "%w", err)
	}
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: schema.ProfileJobID(u), Kind: schema.KindProfile,
		Collection: x.db.Config.Collections().Posts, Field: schema.FieldUserID, Value: u,
		Args: map[string]string{schema.ArgAuthor: u}, Generation: generation, EventID: eventID, Owner: x.db.OwnerOf(u),
	})
}

// Sign copies the author fields and the ref fields to post p, from the current user documents of the accounts that the
// post names. It also deletes the ref fields of ids that the post no longer refers to. It writes nothing if the fields
// agree, or if the post does not exist. If Firestore rejects the post with the copies, Sign logs that.
//
// Sign costs a read of the post. Author fields cost a read of the author; ref fields cost a read for each of at most ten
// refs. If the fields differ, it costs a write.
func (x *Lifecycle) Sign(ctx context.Context, p string) error {
	if !x.db.Config.CopiesProfiles() || schema.CheckPostID(p) != nil {
		return nil
	}
	return work.UntilSettled(ctx, func() (int, error) {
		snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Post(p)})
		if err != nil {
			return 0, err
		}
		post := snaps[0]
		named := x.namedBy(ctx, post)
		updates := x.forgotten(post, named)
		var users []*firestore.DocumentRef
		for _, u := range named.accounts() {
			users = append(users, x.db.User(u))
		}
		if len(users) > 0 {
			if snaps, err = x.db.Client.GetAll(ctx, users); err != nil {
				return 0, fmt.Errorf("read user documents of %s: %w", post.Ref.Path, err)
			}
			for _, user := range snaps {
				updates = append(updates, x.copies(post, named, user)...)
			}
		}
		if len(updates) == 0 {
			return 0, nil
		}
		// The precondition fails if the post has changed: Sign reads it again. A crash
		// before this write leaves the old copy; the event is redelivered.
		_, err = post.Ref.Update(ctx, updates, firestore.LastUpdateTime(post.UpdateTime))
		if store.IsStale(err) {
			return 1, nil
		}
		return 0, x.unlessRejected(ctx, post.Ref, err)
	})
}

// unlessRejected logs the error of a post that has no room for the copies. The post keeps its fields. It holds up
// neither its own delivery nor the copies in other posts.
func (x *Lifecycle) unlessRejected(ctx context.Context, post *firestore.DocumentRef, err error) error {
	if !store.IsRejected(err) {
		return err
	}
	x.db.Config.Logger.WarnContext(ctx, "post rejected with copies of user documents; it keeps what it has", logging.Document, post.Path, logging.Error, err)
	return nil
}

// profileTask returns the task that rewrites the copies of an account's user document in posts. Each page reads the user
// document again. So if the document changes while the job runs, the remaining pages copy the change. Then the job runs
// again for that change's generation.
func (x *Lifecycle) profileTask() chunker.Task {
	query := func(job chunker.Job) (firestore.Query, error) {
		u := job.Args[schema.ArgAuthor]
		return x.postsNaming(u), schema.CheckAccountID(u)
	}
	page := func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		ref := x.db.User(job.Args[schema.ArgAuthor])
		snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{ref})
		if err != nil {
			return chunker.Page{}, fmt.Errorf("read %s: %w", ref.Path, err)
		}
		if !schema.HasProfile(snaps[0]) || !x.db.Config.CopiesProfiles() { // no account: the job names it, so the job is deleted too
			return chunker.Page{Gone: true}, nil
		}
		change := bulk.Change(func(ctx context.Context, _ chunker.Job, post *firestore.DocumentSnapshot) ([]firestore.Update, error) {
			return x.copies(post, x.namedBy(ctx, post), snaps[0]), nil
		})
		apply := func(ctx context.Context, job chunker.Job, post *firestore.DocumentSnapshot) error {
			return x.unlessRejected(ctx, post.Ref, change(ctx, job, post))
		}
		return bulk.Walk(x.db.Config.Parallel, query, apply)(ctx, job, after, limit)
	}
	return chunker.Task{Kind: schema.KindProfile, Phases: []chunker.Phase{
		{Name: "count", Page: bulk.CountFirst(query)},
		{Name: "posts", Page: page},
	}}
}

// postsNaming returns the query for the posts that copy fields of u, without their other
// fields.
func (x *Lifecycle) postsNaming(u string) firestore.Query {
	author := firestore.PropertyFilter{Path: schema.FieldUserID, Operator: "==", Value: u}
	refs := firestore.PropertyFilter{Path: schema.FieldRefs, Operator: "array-contains", Value: u}
	var filter firestore.EntityFilter
	copied := schema.ParseProfileFields(x.db.Config.RefFields)
	if schema.CheckPostID(u) != nil { // see namedBy
		copied = nil
	}
	switch o := x.db.Config; {
	case len(copied) == 0:
		filter = author
	case len(schema.ParseProfileFields(o.AuthorFields)) == 0:
		filter = refs
	default:
		filter = firestore.OrFilter{Filters: []firestore.EntityFilter{author, refs}}
	}
	fields := []firestore.FieldPath{{schema.FieldUserID}, {schema.FieldRefs}}
	for _, f := range schema.ParseProfileFields(x.db.Config.AuthorFields) {
		fields = append(fields, firestore.FieldPath{f.Post})
	}
	for _, f := range copied {
		fields = append(fields, firestore.FieldPath{f.Post, u})
	}
	return x.db.Client.Collection(x.db.Config.Collections().Posts).WhereEntity(filter).SelectPaths(fields...)
}
