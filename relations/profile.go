package relations

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
)

// AuthorField is a field of the author's user document that is copied to posts.
type AuthorField struct {
	User string // field of users/{userId}, such as "displayName"
	Post string // field of the author's posts, such as "authorName"
}

// Profile enqueues a job that rewrites the author fields of all posts of u, after u's
// user document has changed. generation names the change: a second call with it does
// nothing. If relations copy these fields too, the events of the posts update the
// relations.
//
// A post written at the same time with old values is corrected by its own event, which
// calls [Index.Sign].
func (x *Index) Profile(ctx context.Context, u, generation, eventID string) error {
	if err := checkAuthorID(u); err != nil {
		return badDocument(x.opts.Collections.Users+"/"+u, "%v", err)
	}
	return x.engine.Enqueue(ctx, chunker.Spec{
		ID: profileJobID(u), Kind: kindProfile,
		Collection: x.opts.Collections.Posts, Field: fieldUserID, Value: u,
		Args: map[string]string{argAuthor: u}, Generation: generation, EventID: eventID, Owner: ownerOf(u),
	})
}

// Sign copies the author fields from the author's user document, as it is now, to post p.
// It writes nothing if they agree, if the post or its author does not exist, or without
// author fields. It costs two reads, and a write if they differ.
func (x *Index) Sign(ctx context.Context, p string) error {
	if len(x.opts.AuthorFields) == 0 || CheckID(p) != nil {
		return nil
	}
	return untilSettled(ctx, func() (int, error) {
		snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.post(p)})
		if err != nil {
			return 0, err
		}
		post := snaps[0]
		author := textOf(post, fieldUserID)
		if checkAuthorID(author) != nil {
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
		if isStale(err) {
			return 1, nil
		}
		return 0, err
	})
}

// profileTask returns the task that rewrites the author fields of an author's posts. Each
// page reads the user document again, so the remaining pages copy a change made while the
// job runs. For that change's generation, the job runs again.
func (x *Index) profileTask() chunker.Task {
	query := func(job chunker.Job) (firestore.Query, error) {
		q, err := bulk.Query(x.client, job)
		var fields []string
		for _, f := range x.opts.AuthorFields {
			fields = append(fields, f.Post)
		}
		return q.Select(fields...), err
	}
	page := func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		updates, err := x.signatures(ctx, job.Args[argAuthor])
		if err != nil || len(updates) == 0 { // no account: the job, which names it, is deleted too
			return chunker.Page{Gone: err == nil}, err
		}
		change := func(_ context.Context, _ chunker.Job, post *firestore.DocumentSnapshot) ([]firestore.Update, error) {
			return differing(post, updates), nil
		}
		return bulk.Walk(x.opts.Parallel, query, bulk.Change(change))(ctx, job, after, limit)
	}
	return chunker.Task{Kind: kindProfile, Phases: []chunker.Phase{
		{Name: "count", Page: bulk.CountFirst(query)},
		{Name: "posts", Page: page},
	}}
}

// signatures returns updates that copy the author fields from u's user document to a
// post; none if u has no profile. A field that is missing, or cannot be decoded, is
// deleted from the post.
func (x *Index) signatures(ctx context.Context, u string) ([]firestore.Update, error) {
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(u)})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", x.user(u).Path, err)
	}
	if !hasProfile(snaps[0]) {
		return nil, nil
	}
	var updates []firestore.Update
	for _, f := range x.opts.AuthorFields {
		value, ok := fieldsOf(snaps[0], f.User)[f.User]
		if _, bad := value.(undecodable); bad || !ok {
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
		have, ok := fieldsOf(post, name)[name]
		if u.Value == firestore.Delete && !ok || ok && sameValue(have, u.Value) {
			continue
		}
		out = append(out, u)
	}
	return out
}

// Generation formats a stored time as the name of a generation.
func Generation(updated time.Time) string { return updated.UTC().Format(time.RFC3339Nano) }
