package deliverytest_test

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
)

// pageBackfill writes the entries of an author's posts for somebody who follows.
func (d *entries) pageBackfill(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	author, reader := job.Args[argAuthor], job.Args[argReader]
	if d.broken == forgetsBackfill {
		return chunker.Page{}, nil
	}
	if now, err := d.client.GetAll(ctx, []*firestore.DocumentRef{d.follower(author, reader)}); err != nil || !now[0].Exists() {
		return chunker.Page{}, err
	}
	q := d.client.Collection("posts").Where("userId", "==", author)
	return d.page(ctx, q, after, limit, func(tx *firestore.Transaction, posts []*firestore.DocumentSnapshot) error {
		now, err := tx.GetAll(append(refs(posts), d.follower(author, reader)))
		if err != nil || !now[len(posts)].Exists() {
			return err // the reader has left: an event of its own
		}
		for _, post := range now[:len(posts)] {
			if text(post, "userId") != author {
				continue
			}
			if err := d.write(tx, reader, post); err != nil {
				return err
			}
		}
		return nil
	})
}

// pageUnfollow deletes the entries of an author's posts of somebody who does not follow.
func (d *entries) pageUnfollow(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	author, reader := job.Args[argAuthor], job.Args[argReader]
	follower := d.follower(author, reader)
	if now, err := d.client.GetAll(ctx, []*firestore.DocumentRef{follower}); err != nil || now[0].Exists() {
		return chunker.Page{}, err
	}
	q := d.entriesOf(reader).Where("author", "==", author)
	return d.page(ctx, q, after, limit, func(tx *firestore.Transaction, listed []*firestore.DocumentSnapshot) error {
		now, err := tx.GetAll(append(refs(listed), follower))
		if err != nil || now[len(listed)].Exists() && d.broken != removesBlindly {
			return err // the reader is back: an event of its own
		}
		return removeIf(tx, now[:len(listed)], func(entry *firestore.DocumentSnapshot) bool { return text(entry, "author") == author })
	})
}

// pageFanout writes the entries of a post for its author's followers.
func (d *entries) pageFanout(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	listed, err := d.client.GetAll(ctx, []*firestore.DocumentRef{d.post(job.Args[argPost])})
	if d.broken == dropsReads && err != nil {
		return chunker.Page{}, nil
	}
	if err != nil || !listed[0].Exists() {
		return chunker.Page{}, err
	}
	author := text(listed[0], "userId")
	followers := d.client.Collection("users").Doc(author).Collection("followers")
	if after != nil && after.Parent.Path != followers.Path {
		after = nil // the post was another author's
	}
	return d.page(ctx, followers.Query, after, limit, func(tx *firestore.Transaction, readers []*firestore.DocumentSnapshot) error {
		now, err := tx.GetAll(append(refs(readers), listed[0].Ref))
		if err != nil {
			return err
		}
		post := now[len(readers)]
		if d.broken == readsOnce {
			post = listed[0]
		}
		if text(post, "userId") != author {
			return nil // the post has changed: an event of its own
		}
		for _, reader := range now[:len(readers)] {
			if !reader.Exists() {
				continue
			}
			if err := d.write(tx, reader.Ref.ID, post); err != nil {
				return err
			}
		}
		return nil
	})
}

// pageRetract deletes the entries of a post that is gone, or of its earlier author.
func (d *entries) pageRetract(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	post := d.post(job.Args[argPost])
	q := d.client.CollectionGroup("entries").Where("post", "==", post.ID)
	return d.page(ctx, q, after, limit, func(tx *firestore.Transaction, listed []*firestore.DocumentSnapshot) error {
		now, err := tx.GetAll(append(refs(listed), post))
		if err != nil {
			return err
		}
		author := text(now[len(listed)], "userId")
		return removeIf(tx, now[:len(listed)], func(entry *firestore.DocumentSnapshot) bool { return text(entry, "author") != author })
	})
}

// page lists the next documents of a query by name, and does its work on them in a
// transaction. A crash before the commit leaves the page to the event or the job.
func (d *entries) page(ctx context.Context, q firestore.Query, after *firestore.DocumentRef, limit int, work func(*firestore.Transaction, []*firestore.DocumentSnapshot) error) (chunker.Page, error) {
	q = q.OrderBy(firestore.DocumentID, firestore.Asc).Limit(limit)
	if after != nil {
		q = q.StartAfter(after)
	}
	docs, err := q.Documents(ctx).GetAll()
	if err != nil || len(docs) == 0 {
		return chunker.Page{}, err
	}
	err = d.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error { return work(tx, docs) })
	return bulk.PageOf(docs, limit), err
}

func (d *entries) write(tx *firestore.Transaction, reader string, post *firestore.DocumentSnapshot) error {
	at, err := post.DataAt("createdAt")
	if err != nil {
		return err
	}
	return tx.Set(d.entriesOf(reader).Doc(post.Ref.ID), map[string]any{"post": post.Ref.ID, "author": text(post, "userId"), "at": at})
}

func removeIf(tx *firestore.Transaction, entries []*firestore.DocumentSnapshot, wrong func(*firestore.DocumentSnapshot) bool) error {
	for _, entry := range entries {
		if entry.Exists() && wrong(entry) {
			if err := tx.Delete(entry.Ref); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *entries) post(id string) *firestore.DocumentRef { return d.client.Collection("posts").Doc(id) }

func (d *entries) entriesOf(reader string) *firestore.CollectionRef {
	return d.client.Collection("users").Doc(reader).Collection("entries")
}

func (d *entries) follower(author, reader string) *firestore.DocumentRef {
	return d.client.Collection("users").Doc(author).Collection("followers").Doc(reader)
}

func refs(docs []*firestore.DocumentSnapshot) []*firestore.DocumentRef {
	out := make([]*firestore.DocumentRef, len(docs))
	for n, doc := range docs {
		out[n] = doc.Ref
	}
	return out
}

// text returns a text field; "" if the document or the field is missing.
func text(doc *firestore.DocumentSnapshot, field string) string {
	value, err := doc.DataAt(field)
	if err != nil {
		return ""
	}
	s, _ := value.(string)
	return s
}
