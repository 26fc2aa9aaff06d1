package relations

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/wire"
)

// readFollow is what the follower document and the mirror say. It returns
// ErrDamaged, and what the follower document says, when the mirror is none.
func readFollow(f string, truth, mirror *firestore.DocumentSnapshot) (follow, error) {
	read := follow{id: f}
	if truth.Exists() {
		read.since = truth.CreateTime
		if t, ok := fieldsOf(truth, fieldCreatedAt)[fieldCreatedAt].(time.Time); ok {
			read.since = t
		}
	}
	if mirror.Exists() {
		var m Mirror
		err := mirror.DataTo(&m)
		if err == nil && !m.sensible() {
			err = errors.New("it names what is no index document")
		}
		if err != nil {
			return read, &damagedMirror{path: mirror.Ref.Path, updated: mirror.UpdateTime, cause: err}
		}
		read.mirror, read.updated = &m, mirror.UpdateTime
		read.doubted = read.placed() && !read.since.Equal(m.CreatedAt)
	}
	return read, nil
}

// touched are index documents, without their followers, that a members
// transaction has read.
type touched struct {
	documents map[string]IndexDocument
	damaged   map[string]error // those that cannot be read
}

// touch reads index documents that have not been read yet. It locks only those
// that are missing, which nothing else would keep from being there at the commit.
func (x *Index) touch(ctx context.Context, tx *firestore.Transaction, u string, ids []string, t touched) error {
	var refs []*firestore.DocumentRef
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if _, read := t.documents[id]; !read && t.damaged[id] == nil {
			refs = append(refs, x.indexDocuments(u).Doc(id))
		}
	}
	if len(refs) == 0 {
		return nil
	}
	docs, err := x.client.GetAll(ctx, refs)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if !doc.Exists() {
			if doc, err = getMaybe(tx, doc.Ref); err != nil {
				return err
			}
			if !doc.Exists() {
				continue
			}
		}
		if meta, err := decodeMeta(doc); err != nil {
			t.damaged[doc.Ref.ID] = err
		} else {
			t.documents[doc.Ref.ID] = meta
		}
	}
	return nil
}

// touchMirrored touches the index documents that followers leave, or may not be
// in, and takes the place from those who are not: their mirrors are of a life of
// u's before, which ended with their unfollow on its way.
//
// It costs a read for each of the documents, and another, of the followers alone,
// for each that is younger than a mirror which names it. That one may hold the
// follower all the same: where it was made anew by a repair, or the database was restored.
func (x *Index) touchMirrored(ctx context.Context, tx *firestore.Transaction, u string, follows []follow, t touched) error {
	var ids []string
	for _, f := range follows {
		if f.doubted || f.leaves() {
			ids = append(ids, f.mirror.places()...)
		}
	}
	if err := x.touch(ctx, tx, u, ids, t); err != nil {
		return err
	}
	arrays := map[string][]string{}
	for n, f := range follows {
		if !f.doubted && !f.leaves() || t.damaged[f.mirror.IndexID] != nil {
			continue
		}
		id := f.mirror.IndexID
		if index, there := t.documents[id]; there {
			if !olderThan(f.updated, index.created) {
				continue
			}
			if _, read := arrays[id]; !read {
				var err error
				if arrays[id], err = x.followersIn(ctx, u, id, follows); err != nil {
					return err
				}
			}
			if slices.Contains(arrays[id], f.id) {
				continue
			}
		}
		mirror := *f.mirror
		mirror.IndexID, mirror.MovesTo = "", ""
		follows[n].mirror = &mirror
	}
	return nil
}

// touchCurrent touches the current index document, if any follower joins. It
// returns errStale when that one is not there.
func (x *Index) touchCurrent(ctx context.Context, tx *firestore.Transaction, u string, follows []follow, current string, t touched) error {
	if current == "" || !slices.ContainsFunc(follows, follow.joins) {
		return nil
	}
	if err := x.touch(ctx, tx, u, []string{current}, t); err != nil {
		return err
	}
	if _, there := t.documents[current]; !there && t.damaged[current] == nil {
		return errStale
	}
	return nil
}

// followersIn are those of follows whom index document i of u holds; all of
// them, if that cannot be told.
func (x *Index) followersIn(ctx context.Context, u, i string, follows []follow) (in []string, err error) {
	held, err := x.flight.take(ctx, x.opts.fullBytes())
	if err != nil {
		return nil, err
	}
	defer held.release()
	docs, err := x.client.GetAll(wire.WithMask(ctx, isIndexDocument, fieldFollowers), []*firestore.DocumentRef{x.indexDocuments(u).Doc(i)})
	if err != nil {
		return nil, err
	}
	index, err := decodeMeta(docs[0])
	for _, f := range follows {
		if err != nil || slices.Contains(index.Followers, f.id) {
			in = append(in, f.id)
		}
	}
	return in, nil
}

// olderThan reports that a mirror which was written then is older than the index
// document that it names, which was created then; zero: it is not there.
func olderThan(mirror, index time.Time) bool { return index.IsZero() || mirror.Before(index) }

// addHalves adds to documents those of u that are half empty, the first ones, as many
// as joining followers may need, but none of from. It is for when the current one is
// full: it costs a read, of two fields, for each that is not in documents yet, and
// another for each that it adds. It returns errStale where one is not there: who opened
// another would leave a gap.
func (x *Index) addHalves(ctx context.Context, u string, dir directory, joining int, documents map[string]IndexDocument, from map[string]bool) error {
	narrow := wire.WithMask(ctx, isIndexDocument, fieldCount, fieldSizeBytes)
	var halves []*firestore.DocumentRef
	for part := range slices.Chunk(dir.ids, maxBatch) {
		var refs []*firestore.DocumentRef
		for _, id := range part {
			if _, read := documents[id]; !read && !from[id] {
				refs = append(refs, x.indexDocuments(u).Doc(id))
			}
		}
		docs, err := x.client.GetAll(narrow, refs)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if !doc.Exists() {
				return errStale
			}
			if meta, err := decodeMeta(doc); err == nil && joining > 0 && x.opts.hasHalf(meta) {
				halves = append(halves, doc.Ref)
				joining -= x.opts.Capacity - meta.Count
			}
		}
	}
	docs, err := x.client.GetAll(ctx, halves)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if !doc.Exists() {
			return errStale
		}
		if meta, err := decodeMeta(doc); err == nil {
			documents[doc.Ref.ID] = meta
		}
	}
	return nil
}

// withoutFollowers makes reads of index documents under ctx leave out their
// followers: up to 330 KB that members and sync have no use for.
func (x *Index) withoutFollowers(ctx context.Context) context.Context {
	return wire.WithMask(ctx, isIndexDocument, metaFields...)
}

func isIndexDocument(document string) bool { return path.Base(path.Dir(document)) == FollowersIndex }

// decodeMeta is an index document as far as it was read. It returns ErrDamaged
// when it is none.
func decodeMeta(doc *firestore.DocumentSnapshot) (IndexDocument, error) {
	var meta IndexDocument
	if err := doc.DataTo(&meta); err != nil {
		return IndexDocument{}, damageOf(doc, err)
	}
	meta.id, meta.created, meta.updated = doc.Ref.ID, doc.CreateTime, doc.UpdateTime
	return meta, nil
}

func anys(ids []string) []any {
	out := make([]any, len(ids))
	for n, id := range ids {
		out[n] = id
	}
	return out
}
