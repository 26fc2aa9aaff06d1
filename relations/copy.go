package relations

import (
	"context"
	"errors"
	"maps"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/runtime/batch"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
)

// copyRelations writes the relations of posts × indexes of audience a as full copies of
// the current posts and index documents. It skips posts that are gone or have another
// audience.
//
// It reads posts and index documents in the transaction that writes the relations. So a
// members transaction either commits before, and is in the copy, or commits after, and
// its sync finds the relation. And no relation is written after a retract. Reads: posts
// + indexes. Writes: posts × indexes. If the documents are too large for one
// transaction, it uses several, one after the other. It resizes the share for each.
//
// It skips damaged index documents. After the others are copied, it returns ErrDamaged.
//
// A crash before the commit leaves relations missing. The event is redelivered, or the
// job's page runs again. You may repeat the call.
func (x *Delivery) copyRelations(ctx context.Context, share *batch.Share, a string, posts, indexes []string) error {
	var damaged []error
	for len(indexes) > 0 {
		n, err := x.copyOnce(ctx, share, a, posts, indexes)
		if errors.Is(err, work.ErrTooMuch) {
			half := len(posts) / 2
			if err := x.copyRelations(ctx, share, a, posts[:half], indexes); err != nil && !schema.OnlyDamaged(err) {
				return err
			}
			// The second half finds the same damaged index documents.
			posts, n = posts[half:], 0
		} else if schema.OnlyDamaged(err) {
			damaged = append(damaged, err)
		} else if err != nil {
			return err // the retry finds the damaged ones again
		}
		indexes = indexes[n:]
	}
	return errors.Join(damaged...)
}

// copyOnce is one transaction of copyRelations, on the first n of indexes: as many as
// fit by their actual size, and at least one. It returns ErrTooMuch if several posts
// are too many for the first index document. After the commit, it returns ErrDamaged
// for damaged documents among the n.
//
// Its memory is bounded even if index documents hold more than they say. It reads only
// as many at once as its share would hold if each were full.
func (x *Delivery) copyOnce(ctx context.Context, share *batch.Share, a string, posts, indexes []string) (n int, err error) {
	if err := share.Resize(ctx, len(indexes)*x.db.Options.FullBytes()); err != nil {
		return 0, err
	}
	var damaged, miscounts []error
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		n, damaged, miscounts = 0, nil, nil
		var states []PostState
		var there []schema.IndexDocument
		var gone []string // index documents of an account that is being purged
		var total copied
		for at := 0; n == at && at < len(indexes); {
			part := indexes[at:min(len(indexes), at+total.next(x.db.Options, posts, share.Bytes()))]
			refs := make([]*firestore.DocumentRef, 0, len(posts)+len(part))
			for _, p := range posts {
				refs = append(refs, x.db.Post(p))
			}
			if at > 0 {
				refs = refs[:0] // they are already read
			}
			for _, i := range part {
				refs = append(refs, x.db.IndexDocuments(a).Doc(i))
			}
			snaps, err := tx.GetAll(refs)
			if err != nil {
				return err
			}
			if at == 0 {
				states, snaps = x.statesOf(a, snaps[:len(posts)]), snaps[len(posts):]
			}
			at += len(part)
			for _, snap := range snaps {
				if !snap.Exists() {
					gone = append(gone, snap.Ref.ID)
					n++
					continue
				}
				index, err := schema.DecodeIndexDocument(snap)
				if err != nil {
					damaged = append(damaged, err)
					n++
					continue
				}
				bytes := x.bytesOfCopies(states, index)
				if n > 0 && total.transaction+bytes.transaction > schema.TransactionLimit {
					break
				}
				if err := followers.Miscounted(snap, index); err != nil {
					miscounts = append(miscounts, err)
					index.SizeBytes = schema.IDsBytes(index.Followers)
				}
				total = total.plus(bytes)
				there = append(there, index)
				n++
			}
		}
		if total.transaction > schema.TransactionLimit && len(posts) > 1 {
			return work.ErrTooMuch
		}
		share.Shrink(total.ids)
		for _, state := range states {
			for _, i := range gone { // such a relation is of an earlier audience of the post
				if err := tx.Delete(x.db.Relation(state.ID, i)); err != nil {
					return err
				}
			}
			for _, index := range there {
				if err := tx.Set(x.db.Relation(state.ID, index.ID), relationData(state, index)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return n, err
	}
	x.graph.MendOnTheWay(ctx, miscounts)
	return n, errors.Join(damaged...)
}

// statesOf returns the states of the posts that exist and have audience a. Events of the
// other posts handle those.
func (x *Delivery) statesOf(a string, posts []*firestore.DocumentSnapshot) (states []PostState) {
	for _, post := range posts {
		if !post.Exists() {
			continue
		}
		if state, err := x.ReadPost(post); err == nil && state.Audience == a {
			states = append(states, state)
		}
	}
	return states
}

// copied is the size of the relations of some index documents.
type copied struct {
	indexes     int // how many index documents
	ids         int // bytes of ids in the index documents and their relations
	transaction int // estimated transaction bytes of writing the relations
}

func (c copied) plus(d copied) copied {
	return copied{c.indexes + d.indexes, c.ids + d.ids, c.transaction + d.transaction}
}

// next returns how many index documents to read next, to copy them for posts. The first
// time, it assumes that each is full. Later it assumes that they are like those before.
// It never returns more than fit in bytes if each is full.
func (c copied) next(o schema.Options, posts []string, bytes int) int {
	like := 0
	if c.indexes > 0 {
		like = (schema.TransactionLimit - c.transaction) * c.indexes / max(1, c.transaction)
	} else {
		full := 0
		for _, p := range posts {
			full += fullRelationBytes(o, schema.RelationID(p, schema.IndexID(1)))
		}
		like = schema.TransactionBytes / full
	}
	return max(1, min(like, (bytes-c.ids)/o.FullBytes()))
}

// bytesOfCopies returns the size of the relations of posts and an index document. It
// counts the ids themselves, because the document's count and size may be wrong.
func (x *Delivery) bytesOfCopies(posts []PostState, index schema.IndexDocument) copied {
	size := schema.IDsBytes(index.Followers)
	c := copied{indexes: 1, ids: size * (1 + len(posts))}
	for _, post := range posts {
		c.transaction += relationBytes(schema.RelationID(post.ID, index.ID), len(index.Followers), size) + copiedBytes(post.Fields)
	}
	return c
}

// intOf returns an integer field, limited to between 0 and MaxDocumentBytes: the field
// may be damaged.
func intOf(v any) int {
	n, _ := v.(int64)
	return int(max(0, min(n, schema.MaxDocumentBytes)))
}

// relationData returns the fields of the relation of a post and an index document.
func relationData(post PostState, index schema.IndexDocument) map[string]any {
	relation := map[string]any{
		schema.FieldPostID:       post.ID,
		schema.FieldUserID:       post.Author,
		schema.FieldAudience:     post.Audience,
		schema.FieldIndexID:      index.ID,
		schema.FieldIndexVersion: index.Version,
		schema.FieldFollowers:    index.FollowerIDs(),
		schema.FieldSizeBytes:    index.SizeBytes,
	}
	maps.Copy(relation, post.Fields)
	return relation
}
