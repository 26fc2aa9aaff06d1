package accounts

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
)

// Profile enqueues a job that rewrites the author fields of all posts of u, after u's
// user document has changed. generation names the change: a second call with it does
// nothing. If relations copy these fields too, the events of the posts update the
// relations.
//
// A post written at the same time with old values is corrected by its own event, which
// calls [Lifecycle.Sign].
func (x *Lifecycle) Profile(ctx context.Context, u, generation, eventID string) error {
	if err := schema.CheckAuthorID(u); err != nil {
		return schema.BadDocument(x.db.Options.Collections.Users+"/"+u, "%v", err)
	}
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: schema.ProfileJobID(u), Kind: schema.KindProfile,
		Collection: x.db.Options.Collections.Posts, Field: schema.FieldUserID, Value: u,
		Args: map[string]string{schema.ArgAuthor: u}, Generation: generation, EventID: eventID, Owner: schema.OwnerOf(u),
	})
}

// Sign copies the author fields from the author's user document, as it is now, to post p.
// It writes nothing if they agree, if the post or its author does not exist, or without
// author fields. It costs two reads, and a write if they differ.
func (x *Lifecycle) Sign(ctx context.Context, p string) error {
	if len(x.db.Options.AuthorFields) == 0 || schema.CheckID(p) != nil {
		return nil
	}
	return work.UntilSettled(ctx, func() (int, error) {
		snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Post(p)})
		if err != nil {
			return 0, err
		}
		post := snaps[0]
		author := schema.TextOf(post, schema.FieldUserID)
		if schema.CheckAuthorID(author) != nil {
			return 0, nil
		}
		updates, err := x.signatures(ctx, author)
		if err != nil {
			return 0, err
		}
		if updates = differing(post, updates); len(updates) == 0 {
			return 0, nil
		}
		// The precondition fails if the post has changed: Sign reads it again. A crash
		// before this write leaves the old copy; the event is redelivered.
		_, err = post.Ref.Update(ctx, updates, firestore.LastUpdateTime(post.UpdateTime))
		if store.IsStale(err) {
			return 1, nil
		}
		return 0, err
	})
}

// profileTask returns the task that rewrites the author fields of an author's posts. Each
// page reads the user document again, so the remaining pages copy a change made while the
// job runs. For that change's generation, the job runs again.
func (x *Lifecycle) profileTask() chunker.Task {
	query := func(job chunker.Job) (firestore.Query, error) {
		q, err := bulk.Query(x.db.Client, job)
		var fields []string
		for _, f := range x.db.Options.AuthorFields {
			fields = append(fields, f.Post)
		}
		return q.Select(fields...), err
	}
	page := func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		updates, err := x.signatures(ctx, job.Args[schema.ArgAuthor])
		if err != nil || len(updates) == 0 { // no account: the job, which names it, is deleted too
			return chunker.Page{Gone: err == nil}, err
		}
		change := func(_ context.Context, _ chunker.Job, post *firestore.DocumentSnapshot) ([]firestore.Update, error) {
			return differing(post, updates), nil
		}
		return bulk.Walk(x.db.Options.Parallel, query, bulk.Change(change))(ctx, job, after, limit)
	}
	return chunker.Task{Kind: schema.KindProfile, Phases: []chunker.Phase{
		{Name: "count", Page: bulk.CountFirst(query)},
		{Name: "posts", Page: page},
	}}
}

// signatures returns updates that copy the author fields from u's user document to a
// post; none if u has no profile. A field that is missing, or cannot be decoded, is
// deleted from the post.
func (x *Lifecycle) signatures(ctx context.Context, u string) ([]firestore.Update, error) {
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", x.db.User(u).Path, err)
	}
	if !schema.HasProfile(snaps[0]) {
		return nil, nil
	}
	var updates []firestore.Update
	for _, f := range x.db.Options.AuthorFields {
		value, ok := schema.FieldsOf(snaps[0], f.User)[f.User]
		if _, bad := value.(schema.Undecodable); bad || !ok {
			value = firestore.Delete
		}
		updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{f.Post}, Value: value})
	}
	return updates, nil
}

// differing returns the updates that would change the post.
func differing(post *firestore.DocumentSnapshot, updates []firestore.Update) []firestore.Update {
	var out []firestore.Update
	for _, u := range updates {
		name := u.FieldPath[0]
		have, ok := schema.FieldsOf(post, name)[name]
		if u.Value == firestore.Delete && !ok || ok && schema.SameValue(have, u.Value) {
			continue
		}
		out = append(out, u)
	}
	return out
}
