package relations

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/names"
	"example.com/relationindex/internal/runtime/wire"
)

// readFollow decodes the follower document and the mirror. If the mirror is damaged, it
// returns ErrDamaged, and the state by the follower document alone.
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

// touched holds the index documents, without their followers, that a members
// transaction has read.
type touched struct {
	documents map[string]IndexDocument
	damaged   map[string]error // those that cannot be read
}

// touch reads the index documents that have not been read yet. It locks only missing
// ones. Nothing else would prevent their creation before the commit.
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

// touchMirrored reads the index documents that followers leave or may not be in. In
// follows, it clears the place of followers who are not there. Their mirror belongs to
// an earlier life of u's account, which ended while the unfollow was on its way.
//
// It costs a read for each index document. An index document that is younger than a
// mirror that names it costs another, of the array alone. Such a document may still
// hold the follower, after a repair that created it anew or a restored database.
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

// touchCurrent reads the current index document if any follower joins. It returns
// errStale if the document does not exist.
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

// followersIn returns the followers that index document i of u holds. If the document
// cannot be read, it returns all.
func (x *Index) followersIn(ctx context.Context, u, i string, follows []follow) (in []string, err error) {
	share, err := x.memory.Take(ctx, x.opts.fullBytes())
	if err != nil {
		return nil, err
	}
	defer share.Release()
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

// olderThan reports whether a mirror written at one time is older than the index
// document, created at the other, that it names. The zero time stands for a missing
// index document.
func olderThan(mirror, index time.Time) bool { return index.IsZero() || mirror.Before(index) }

// addHalves adds the first half empty index documents of u to documents, as many as the
// joining followers may need, but none of from. Call it when the current index document
// is full.
//
// It costs a read, of two fields, for each index document not in documents yet, and
// another for each one that it adds. It returns errStale if an index document is
// missing: opening another would leave a gap.
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
			if meta, err := decodeMeta(doc); err == nil && joining > 0 && capacityOf(x.opts).HalfEmpty(fillOf(meta)) {
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

// withoutFollowers makes reads of index documents under ctx leave out their arrays: up
// to 330 KB that members and sync do not need.
func (x *Index) withoutFollowers(ctx context.Context) context.Context {
	return wire.WithMask(ctx, isIndexDocument, metaFields...)
}

func isIndexDocument(document string) bool {
	return path.Base(path.Dir(document)) == names.FollowersIndex
}

// decodeMeta decodes the fields of an index document that were read. It returns
// ErrDamaged if they cannot be decoded.
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
