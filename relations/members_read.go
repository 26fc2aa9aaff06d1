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
// followers leave, and the latest one if any joins. It locks only those that are
// missing, which nothing else would keep from being there at the commit. Those
// that cannot be read are damaged. It returns errStale when the latest is not there.
func (x *Index) touchedDocuments(ctx context.Context, tx *firestore.Transaction, u string, follows []follow, ids []string) (documents map[string]IndexDocument, damaged map[string]error, err error) {
	var want []string
	joins := false
	for _, f := range follows {
		joins = joins || f.joins()
		if f.leaves() {
			want = append(want, f.mirror.IndexID)
		}
	}
	latest := ""
	if joins && len(ids) > 0 {
		latest = ids[len(ids)-1]
		want = append(want, latest)
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
	if _, ok := documents[latest]; latest != "" && !ok && damaged[latest] == nil {
		return nil, nil, errStale
	}
	return documents, damaged, nil
}

// withoutFollowers makes reads of index documents under ctx leave out their
// followers: up to 330 KB that members and sync have no use for.
func (x *Index) withoutFollowers(ctx context.Context) context.Context {
	return wire.WithMask(ctx, func(document string) bool {
		collection := path.Dir(document)
		return path.Base(collection) == FollowersIndex
	}, metaFields...)
}

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
