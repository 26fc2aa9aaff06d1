package relations

import (
	"context"
	"errors"
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
	data := fieldsOf(snap, append([]string{fieldUserID, fieldCreatedAt}, x.opts.CopiedFields...)...)
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
// without one would silently be missing from the feed's index. A field that
// cannot be decoded is not copied. Beyond maxCopiedBytes or maxCopiedEntries
// the configured fields are left out.
func copiedFields(data map[string]any, created time.Time, names []string) map[string]any {
	fields := map[string]any{}
	for _, name := range names {
		v, ok := data[name]
		if _, bad := v.(undecodable); ok && !bad {
			fields[name] = v
		}
	}
	if valueBytes(fields) > maxCopiedBytes || entriesOf(fields) > maxCopiedEntries {
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
// to be more than a transaction may take it is several, one after the other.
//
// Index documents that are damaged are left out: it returns ErrDamaged for them
// when the others are copied.
//
// A crash before it commits leaves relations missing; the event, or the job's
// page, comes again. Safe to repeat.
func (x *Index) copyRelations(ctx context.Context, u string, posts, indexes []string) error {
	var damaged []error
	for len(indexes) > 0 {
		n, err := x.copyOnce(ctx, u, posts, indexes)
		if errors.Is(err, errTooMuch) {
			half := len(posts) / 2
			if err := x.copyRelations(ctx, u, posts[:half], indexes); err != nil && !onlyDamaged(err) {
				return err
			}
			// It finds the damaged ones of the first half again.
			posts, n = posts[half:], 0
		} else if onlyDamaged(err) {
			damaged = append(damaged, err)
		} else if err != nil {
			return err // and those that are damaged are found again
		}
		indexes = indexes[n:]
	}
	return errors.Join(damaged...)
}

// copyOnce is one transaction of copyRelations, on the first n of indexes: as
// many as fit by what they hold, and at least one. It returns errTooMuch where
// several posts are too many for the first, and ErrDamaged, after the commit,
// for those of the n that are damaged.
//
// What it holds in memory is bounded whatever the documents say of themselves:
// it reads no more of them at once than its share of the flight has room for,
// were each of them full.
func (x *Index) copyOnce(ctx context.Context, u string, posts, indexes []string) (n int, err error) {
	held, err := x.flight.take(ctx, len(indexes)*x.opts.fullBytes())
	if err != nil {
		return 0, err
	}
	defer held.release()
	var damaged, miscounts []error
	err = x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		n, damaged, miscounts = 0, nil, nil
		var states []postState
		var there []IndexDocument
		var gone []string // of an account that is being purged
		var total copied
		for at := 0; n == at && at < len(indexes); {
			part := indexes[at:min(len(indexes), at+total.next(x.opts, posts, int(held.bytes)))]
			refs := make([]*firestore.DocumentRef, 0, len(posts)+len(part))
			for _, p := range posts {
				refs = append(refs, x.post(p))
			}
			if at > 0 {
				refs = refs[:0] // they have been read
			}
			for _, i := range part {
				refs = append(refs, x.indexDocuments(u).Doc(i))
			}
			snaps, err := tx.GetAll(refs)
			if err != nil {
				return err
			}
			if at == 0 {
				states, snaps = x.statesOf(u, snaps[:len(posts)]), snaps[len(posts):]
			}
			at += len(part)
			for _, snap := range snaps {
				if !snap.Exists() {
					gone = append(gone, snap.Ref.ID)
					n++
					continue
				}
				index, err := decodeMeta(snap)
				if err != nil {
					damaged = append(damaged, err)
					n++
					continue
				}
				bytes := x.bytesOfCopies(states, index)
				if n > 0 && total.transaction+bytes.transaction > transactionLimit {
					break
				}
				if err := miscounted(snap, index); err != nil {
					miscounts = append(miscounts, err)
					index.SizeBytes = bytesOf(index.Followers)
				}
				total = total.plus(bytes)
				there = append(there, index)
				n++
			}
		}
		if total.transaction > transactionLimit && len(posts) > 1 {
			return errTooMuch
		}
		held.shrink(total.ids)
		for _, state := range states {
			for _, i := range gone { // what has that name is of the post's author before
				if err := tx.Delete(x.relation(state.id, i)); err != nil {
					return err
				}
			}
			for _, index := range there {
				if err := tx.Set(x.relation(state.id, index.id), relationData(state, index)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return n, err
	}
	x.mendOnTheWay(ctx, miscounts)
	return n, errors.Join(damaged...)
}

// statesOf are the posts of author u among those that were read. The others'
// events, or those of their deletion, take care of them.
func (x *Index) statesOf(u string, posts []*firestore.DocumentSnapshot) (states []postState) {
	for _, post := range posts {
		if !post.Exists() {
			continue
		}
		if state, err := x.readPost(post); err == nil && state.author == u {
			states = append(states, state)
		}
	}
	return states
}

// errTooMuch says that a transaction would take more than Firestore allows.
var errTooMuch = errors.New("more than a transaction may take")

// copied is what the relations of some index documents take.
type copied struct {
	indexes     int // how many index documents
	ids         int // bytes of ids in them and in their relations
	transaction int // an estimate of what writing the relations takes of a transaction
}

func (c copied) plus(d copied) copied {
	return copied{c.indexes + d.indexes, c.ids + d.ids, c.transaction + d.transaction}
}

// next is how many index documents to read next, to copy them for posts: first
// as many as fit if each holds as much as it may, then as many as fit if they are
// like those before. They are never more than have room in held bytes if each
// is full.
func (c copied) next(o Options, posts []string, held int) int {
	like := 0
	if c.indexes > 0 {
		like = (transactionLimit - c.transaction) * c.indexes / max(1, c.transaction)
	} else {
		full := 0
		for _, p := range posts {
			full += o.fullRelationBytes(relationID(p, indexID(1)))
		}
		like = transactionBytes / full
	}
	return max(1, min(like, (held-c.ids)/o.fullBytes()))
}

// bytesOfCopies is what the relations of posts and an index document take, by
// the ids that it holds: its own count and size may be wrong.
func (x *Index) bytesOfCopies(posts []postState, index IndexDocument) copied {
	size := bytesOf(index.Followers)
	c := copied{indexes: 1, ids: size * (1 + len(posts))}
	for _, post := range posts {
		c.transaction += x.opts.relationBytes(relationID(post.id, index.id), len(index.Followers), size) + copiedBytes(post.fields)
	}
	return c
}

// intOf is a number of a document, which may have been damaged: at least 0, and
// at most what a document can hold.
func intOf(v any) int {
	n, _ := v.(int64)
	return int(max(0, min(n, maxDocumentBytes)))
}

// relationData is the relation of a post and an index document.
func relationData(post postState, index IndexDocument) map[string]any {
	relation := map[string]any{
		fieldPostID:       post.id,
		fieldUserID:       post.author,
		fieldIndexID:      index.id,
		fieldIndexVersion: index.Version,
		fieldFollowers:    index.followers(),
		fieldSizeBytes:    index.SizeBytes,
	}
	maps.Copy(relation, post.fields)
	return relation
}
