package relations

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
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
		read.mirror = &m
	}
	return read, nil
}

// touchedDocuments reads, without their followers, the index documents that
// followers leave, and the current one if any joins. It locks only those that are
// missing, which nothing else would keep from being there at the commit. Those
// that cannot be read are damaged. It returns errStale when the current one is not there.
func (x *Index) touchedDocuments(ctx context.Context, tx *firestore.Transaction, u string, follows []follow, current string) (documents map[string]IndexDocument, damaged map[string]error, err error) {
	var want []string
	joins := false
	for _, f := range follows {
		joins = joins || f.joins()
		if f.leaves() {
			want = append(want, f.mirror.IndexID)
		}
	}
	if joins && current != "" {
		want = append(want, current)
	}
	slices.Sort(want)
	want = slices.Compact(want)
	documents, damaged = map[string]IndexDocument{}, map[string]error{}
	if len(want) == 0 {
		return documents, damaged, nil
	}
	refs := make([]*firestore.DocumentRef, len(want))
	for n, id := range want {
		refs[n] = x.indexDocuments(u).Doc(id)
	}
	docs, err := x.client.GetAll(ctx, refs)
	if err != nil {
		return nil, nil, err
	}
	for _, doc := range docs {
		if !doc.Exists() {
			if doc, err = getMaybe(tx, doc.Ref); err != nil {
				return nil, nil, err
			}
			if !doc.Exists() {
				continue
			}
		}
		if meta, err := decodeMeta(doc); err != nil {
			damaged[doc.Ref.ID] = err
		} else {
			documents[doc.Ref.ID] = meta
		}
	}
	if _, ok := documents[current]; joins && current != "" && !ok && damaged[current] == nil {
		return nil, nil, errStale
	}
	return documents, damaged, nil
}

// addHalves adds to documents those of u that are half empty, the first ones,
// as many as joining followers may need. It is for when the current one is full:
// it costs a read, of two fields, for each that is not in documents yet, and
// another for each that it adds. It returns errStale where one is not there:
// who opened another would leave a gap.
func (x *Index) addHalves(ctx context.Context, u string, dir directory, joining int, documents map[string]IndexDocument) error {
	narrow := wire.WithMask(ctx, isIndexDocument, fieldCount, fieldSizeBytes)
	var halves []*firestore.DocumentRef
	for part := range slices.Chunk(dir.ids, maxBatch) {
		var refs []*firestore.DocumentRef
		for _, id := range part {
			if _, read := documents[id]; !read {
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
