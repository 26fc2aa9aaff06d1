//go:build long

package delivery

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// pageBackfill writes the entries of the posts to an audience for somebody who follows.
func (d *trivial) pageBackfill(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	audience, reader := job.Args[argAudience], job.Args[argReader]
	if d.broken == forgetsBackfill {
		return chunker.Page{}, nil
	}
	if now, err := d.client.GetAll(ctx, []*firestore.DocumentRef{d.follower(audience, reader)}); err != nil || !now[0].Exists() {
		return chunker.Page{}, err
	}
	q := d.client.Collection("posts").Where("userId", "==", audience)
	if schema.IsGroup(audience) {
		q = d.client.Collection("posts").Where("audience", "==", audience)
	}
	return d.page(ctx, q, after, limit, func(tx *firestore.Transaction, posts []*firestore.DocumentSnapshot) error {
		now, err := tx.GetAll(append(refs(posts), d.follower(audience, reader)))
		if err != nil || !now[len(posts)].Exists() {
			return err // the reader has left: an event of its own
		}
		var all []delivered
		for _, post := range now[:len(posts)] {
			if readersOf(post).audience == audience {
				all = append(all, delivered{reader, post})
			}
		}
		return d.write(tx, all...)
	})
}

// pageUnfollow deletes the entries of the posts to an audience of somebody who does not
// follow. Entries of who is in `to` name no audience.
func (d *trivial) pageUnfollow(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	audience, reader := job.Args[argAudience], job.Args[argReader]
	follower := d.follower(audience, reader)
	if now, err := d.client.GetAll(ctx, []*firestore.DocumentRef{follower}); err != nil || now[0].Exists() {
		return chunker.Page{}, err
	}
	q := d.entriesOf(reader).Where("audience", "==", audience)
	return d.page(ctx, q, after, limit, func(tx *firestore.Transaction, listed []*firestore.DocumentSnapshot) error {
		now, err := tx.GetAll(append(refs(listed), follower))
		if err != nil || now[len(listed)].Exists() && d.broken != removesBlindly {
			return err // the reader is back: an event of its own
		}
		return removeIf(tx, now[:len(listed)], func(entry *firestore.DocumentSnapshot) bool { return text(entry, "audience") == audience })
	})
}

// pageDirect writes the entries of a post for those in its `to`.
func (d *trivial) pageDirect(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	return chunker.Page{}, d.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		now, err := tx.GetAll([]*firestore.DocumentRef{d.post(job.Args[argPost])})
		if err != nil {
			return err
		}
		var all []delivered
		for _, reader := range readersOf(now[0]).to {
			all = append(all, delivered{reader, now[0]})
		}
		return d.write(tx, all...)
	})
}

// pageFanout writes the entries of a post for the followers of its audience.
func (d *trivial) pageFanout(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	listed, err := d.client.GetAll(ctx, []*firestore.DocumentRef{d.post(job.Args[argPost])})
	if d.broken == dropsReads && err != nil {
		return chunker.Page{}, nil
	}
	if err != nil || !listed[0].Exists() {
		return chunker.Page{}, err
	}
	audience := readersOf(listed[0]).audience
	if audience == "" {
		return chunker.Page{}, nil
	}
	followers := d.client.Collection("users").Doc(audience).Collection("followers")
	if after != nil && after.Parent.Path != followers.Path {
		after = nil // the post was to another audience
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
		if readersOf(post).audience != audience {
			return nil // the post has changed: an event of its own
		}
		var all []delivered
		for _, reader := range now[:len(readers)] {
			if reader.Exists() {
				all = append(all, delivered{reader.Ref.ID, post})
			}
		}
		return d.write(tx, all...)
	})
}

// pageRetract deletes the entries of a post that is gone, or of its earlier readers.
func (d *trivial) pageRetract(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	post := d.post(job.Args[argPost])
	q := d.client.CollectionGroup("entries").Where("post", "==", post.ID)
	return d.page(ctx, q, after, limit, func(tx *firestore.Transaction, listed []*firestore.DocumentSnapshot) error {
		now, err := tx.GetAll(append(refs(listed), post))
		if err != nil {
			return err
		}
		to := readersOf(now[len(listed)])
		return removeIf(tx, now[:len(listed)], func(entry *firestore.DocumentSnapshot) bool {
			reader := entry.Ref.Parent.Parent.ID
			if text(entry, "author") != to.author || d.broken == keepsAudience {
				return text(entry, "author") != to.author
			}
			return text(entry, "audience") != to.of(reader) || to.audience == "" && !to.names(reader)
		})
	})
}

// page lists the next documents of a query by name, and does its work on them in a
// transaction. A crash before the commit leaves the page to the event or the job.
func (d *trivial) page(ctx context.Context, q firestore.Query, after *firestore.DocumentRef, limit int, work func(*firestore.Transaction, []*firestore.DocumentSnapshot) error) (chunker.Page, error) {
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

// delivered is a post for a reader.
type delivered struct {
	reader string
	post   *firestore.DocumentSnapshot
}

// write writes entries. It reads the blocks: an entry whose post names a reader who blocks the author is deleted.
func (d *trivial) write(tx *firestore.Transaction, all ...delivered) error {
	if len(all) == 0 {
		return nil
	}
	var blocks []*firestore.DocumentRef
	for _, e := range all {
		blocks = append(blocks, d.graph.Database().Block(e.reader, readersOf(e.post).author))
	}
	now, err := tx.GetAll(blocks)
	if err != nil {
		return err
	}
	for n, e := range all {
		to, ref := readersOf(e.post), d.entriesOf(e.reader).Doc(e.post.Ref.ID)
		if to.names(e.reader) && now[n].Exists() && d.broken != ignoresBlocks {
			err = tx.Delete(ref)
		} else {
			err = tx.Set(ref, map[string]any{"post": e.post.Ref.ID, "author": to.author, "audience": to.of(e.reader), "at": e.post.Data()["createdAt"]})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readership is who gets a post: the followers of its audience, and those in `to`.
type readership struct {
	author, audience string
	to               []string
}

// readersOf returns who gets a post; nobody if it is gone.
func readersOf(post *firestore.DocumentSnapshot) readership {
	fields := schema.FieldsOf(post, names.PostFields()...)
	author, ok := fields[schema.FieldUserID].(string)
	if !ok {
		return readership{}
	}
	audience, _ := schema.AudienceOf(author, fields)
	to, _ := schema.RecipientsOf(author, fields, false)
	return readership{author, audience, to}
}

func (r readership) names(reader string) bool { return slices.Contains(r.to, reader) }

// of returns the audience that the entry of a reader names; "" if the post names the
// reader, who has to keep it after an unfollow.
func (r readership) of(reader string) string {
	if r.names(reader) {
		return ""
	}
	return r.audience
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

func (d *trivial) post(id string) *firestore.DocumentRef { return d.client.Collection("posts").Doc(id) }

func (d *trivial) entriesOf(reader string) *firestore.CollectionRef {
	return d.client.Collection("users").Doc(reader).Collection("entries")
}

func (d *trivial) follower(author, reader string) *firestore.DocumentRef {
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
