package relations

import (
	"context"
	"errors"
	"maps"
	"slices"
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
// retract. Reads: posts + indexes. Writes: posts × indexes. Where they turn out
// to be more than a transaction may take it is two, each of a half.
//
// A crash before it commits leaves relations missing; the event, or the job's
// page, comes again. Safe to repeat.
func (x *Index) copyRelations(ctx context.Context, u string, posts, indexes []string) error {
	err := x.copyOnce(ctx, u, posts, indexes)
	if !errors.Is(err, errTooMuch) {
		return err
	}
	if n := len(posts) / 2; n > 0 {
		if err := x.copyRelations(ctx, u, posts[:n], indexes); err != nil {
			return err
		}
		return x.copyRelations(ctx, u, posts[n:], indexes)
	}
	n := len(indexes) / 2
	if err := x.copyRelations(ctx, u, posts, indexes[:n]); err != nil {
		return err
	}
	return x.copyRelations(ctx, u, posts, indexes[n:])
}

func (x *Index) copyOnce(ctx context.Context, u string, posts, indexes []string) error {
	refs := make([]*firestore.DocumentRef, 0, len(posts)+len(indexes))
	for _, p := range posts {
		refs = append(refs, x.post(p))
	}
	for _, i := range indexes {
		refs = append(refs, x.indexDocuments(u).Doc(i))
	}
	held, err := x.flight.take(ctx, len(indexes)*x.opts.fullBytes())
	if err != nil {
		return err
	}
	defer held.release()
	return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		snaps, err := tx.GetAll(refs)
		if err != nil {
			return err
		}
		var states []postState
		for _, post := range snaps[:len(posts)] {
			if !post.Exists() {
				continue
			}
			if state, err := x.readPost(post); err == nil && state.author == u {
				states = append(states, state) // else the event of that change takes care of it
			}
		}
		var gone []string // of an account that is being purged
		there := slices.DeleteFunc(snaps[len(posts):], func(index *firestore.DocumentSnapshot) bool {
			if !index.Exists() {
				gone = append(gone, index.Ref.ID)
			}
			return !index.Exists()
		})
		ids, total := x.bytesOfCopies(states, there)
		if total > transactionLimit && len(posts)*len(indexes) > 1 {
			return errTooMuch
		}
		held.shrink(ids)
		for _, state := range states {
			for _, i := range gone { // what has that name is of the post's author before
				if err := tx.Delete(x.relation(state.id, i)); err != nil {
					return err
				}
			}
			for _, index := range there {
				if err := tx.Set(x.relation(state.id, index.Ref.ID), relationData(state, index)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// errTooMuch says that a transaction would take more than Firestore allows.
var errTooMuch = errors.New("more than a transaction may take")

// bytesOfCopies is how many bytes of ids the relations of posts × indexes and
// the index documents themselves hold, and an estimate of what writing the
// relations takes of a transaction.
func (x *Index) bytesOfCopies(posts []postState, indexes []*firestore.DocumentSnapshot) (ids, transaction int) {
	for _, index := range indexes {
		data := index.Data()
		n, size := intOf(data[fieldCount]), intOf(data[fieldSizeBytes])
		ids += size * (1 + len(posts))
		for _, post := range posts {
			transaction += x.opts.relationBytes(relationID(post.id, index.Ref.ID), n, size) + 3*valueBytes(post.fields)
		}
	}
	return ids, transaction
}

// intOf is a number of a document, which may have been damaged: at least 0, and
// at most what a document can hold.
func intOf(v any) int {
	n, _ := v.(int64)
	return int(max(0, min(n, maxDocumentBytes)))
}

// relationData is the relation of a post and an index document. The array is
// passed on as it was read.
func relationData(post postState, index *firestore.DocumentSnapshot) map[string]any {
	data := index.Data()
	followers := data[fieldFollowers]
	if followers == nil {
		followers = []any{}
	}
	relation := map[string]any{
		fieldPostID:       post.id,
		fieldUserID:       post.author,
		fieldIndexID:      index.Ref.ID,
		fieldIndexVersion: data[fieldVersion],
		fieldFollowers:    followers,
		fieldSizeBytes:    data[fieldSizeBytes],
	}
	maps.Copy(relation, post.fields)
	return relation
}
