package relations

import (
	"context"
	"maps"
	"time"

	"cloud.google.com/go/firestore"
)

// postState is what a post says of its relations.
type postState struct {
	id     string
	author string
	fields map[string]any // what relations copy; createdAt always
}

// readPost is the state of a post document. It returns ErrBadDocument when the
// post has no author that could be followed.
func (x *Index) readPost(snap *firestore.DocumentSnapshot) (postState, error) {
	data := snap.Data()
	author, ok := data[fieldUserID].(string)
	if !ok {
		return postState{}, badDocument(snap.Ref.Path, "%s is not a string", fieldUserID)
	}
	if err := checkAuthorID(author); err != nil {
		return postState{}, badDocument(snap.Ref.Path, "%s: %v", fieldUserID, err)
	}
	return postState{id: snap.Ref.ID, author: author, fields: copiedFields(data, snap.CreateTime, x.opts.CopiedFields)}, nil
}

// copiedFields are the fields that a relation copies from a post with data. A
// post without a usable createdAt gets the document's create time: a relation
// without one would silently be missing from the feed's index. Beyond
// maxCopiedBytes the configured fields are left out.
func copiedFields(data map[string]any, created time.Time, names []string) map[string]any {
	fields := map[string]any{}
	for _, name := range names {
		if v, ok := data[name]; ok {
			fields[name] = v
		}
	}
	if valueBytes(fields) > maxCopiedBytes {
		clear(fields)
	}
	fields[fieldCreatedAt] = created
	if t, ok := data[fieldCreatedAt].(time.Time); ok {
		fields[fieldCreatedAt] = t
	}
	return fields
}

// copyRelations makes the relations of posts × indexes of author u whole
// copies of what the posts and the index documents are now. Posts that are
// gone, or another author's by now, get none.
//
// It is one transaction: the index documents are read in it, so that a members
// transaction either comes before (and is in the copy) or after (and its sync
// finds the relation); and the posts, so that no relation is written after a
// retract. Reads: posts + indexes. Writes: posts × indexes.
//
// It is stale when there is more than one relation and they have grown too
// large for one transaction.
//
// A crash before it commits leaves relations missing; the event, or the job's
// page, comes again. Safe to repeat.
func (x *Index) copyRelations(ctx context.Context, u string, posts, indexes []string) error {
	refs := make([]*firestore.DocumentRef, 0, len(posts)+len(indexes))
	for _, p := range posts {
		refs = append(refs, x.post(p))
	}
	for _, i := range indexes {
		refs = append(refs, x.indexDocuments(u).Doc(i))
	}
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snaps, err := tx.GetAll(refs)
		if err != nil {
			return err
		}
		if len(posts)*len(indexes) > 1 && len(posts)*bytesOfRelations(snaps[len(posts):]) > transactionLimit {
			return errStale
		}
		for _, post := range snaps[:len(posts)] {
			if !post.Exists() {
				continue
			}
			state, err := x.readPost(post)
			if err != nil || state.author != u {
				continue // the event of that change takes care of it
			}
			for _, index := range snaps[len(posts):] {
				if !index.Exists() {
					continue // the account is gone
				}
				if err := tx.Set(x.relation(state.id, index.Ref.ID), relationData(state, index)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// bytesOfRelations estimates what one relation for each of indexes takes of a transaction.
func bytesOfRelations(indexes []*firestore.DocumentSnapshot) int {
	total := 0
	for _, index := range indexes {
		data := index.Data()
		count, _ := data[fieldCount].(int64)
		size, _ := data[fieldSizeBytes].(int64)
		total += relationBytes(int(count), int(size))
	}
	return total
}

// relationData is the relation of a post and an index document. The array is
// passed on as it was read.
func relationData(post postState, index *firestore.DocumentSnapshot) map[string]any {
	data := index.Data()
	followers, version := data[fieldFollowers], data[fieldVersion]
	if followers == nil {
		followers = []any{}
	}
	relation := map[string]any{
		fieldPostID:       post.id,
		fieldUserID:       post.author,
		fieldIndexID:      index.Ref.ID,
		fieldIndexVersion: version,
		fieldFollowers:    followers,
	}
	maps.Copy(relation, post.fields)
	return relation
}
