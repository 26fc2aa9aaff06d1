package followers

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// metaFields are the fields to read when the array is not needed.
var metaFields = []string{schema.FieldCount, schema.FieldSizeBytes, schema.FieldVersion, schema.FieldChanges, schema.FieldBackfilled, schema.FieldRewritten}

// ReadFollow decodes the follower document and the edge. If a server or an import wrote the follower document without
// createdAt, the follow counts from the createdAt of the edge, which is written once. If the edge is damaged, ReadFollow
// returns ErrDamaged, and the state that follows from the follower document alone.
func ReadFollow(f string, truth, edge *firestore.DocumentSnapshot) (State, error) {
	read := State{ID: f}
	dated := false
	if truth.Exists() {
		read.Since = truth.CreateTime
		if t, ok := schema.FieldsOf(truth, schema.FieldCreatedAt)[schema.FieldCreatedAt].(time.Time); ok {
			read.Since, dated = t, true
		}
	}
	if edge.Exists() {
		var m schema.Edge
		err := edge.DataTo(&m)
		if err == nil && !m.Valid() {
			err = errors.New("the edge names a document that is not an index document")
		}
		if err != nil {
			return read, &schema.Damaged{Path: edge.Ref.Path, Author: edge.Ref.ID, Updated: edge.UpdateTime, Cause: err}
		}
		read.Edge, read.updated = &m, edge.UpdateTime
		if truth.Exists() && !dated && read.Placed() && !m.CreatedAt.IsZero() {
			read.Since = m.CreatedAt
		}
		read.Doubted = read.Placed() && !read.Since.Equal(m.CreatedAt)
	}
	return read, nil
}

// touched holds the index documents, without their followers, that a members
// transaction has read.
type touched struct {
	documents map[string]schema.IndexDocument
	damaged   map[string]error // index documents that cannot be read
}

// touch reads the index documents that have not been read yet. It locks only missing index documents: nothing else would
// prevent their creation before the commit.
func (x *Graph) touch(ctx context.Context, tx *firestore.Transaction, u string, ids []string, t touched) error {
	var refs []*firestore.DocumentRef
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if _, read := t.documents[id]; !read && t.damaged[id] == nil {
			refs = append(refs, x.db.IndexDocuments(u).Doc(id))
		}
	}
	if len(refs) == 0 {
		return nil
	}
	docs, err := x.db.Client.GetAll(ctx, refs)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if !doc.Exists() {
			if doc, err = store.GetMaybe(tx, doc.Ref); err != nil {
				return err
			}
			if !doc.Exists() {
				continue
			}
		}
		if meta, err := schema.DecodeIndexDocument(doc); err != nil {
			t.damaged[doc.Ref.ID] = err
		} else {
			t.documents[doc.Ref.ID] = meta
		}
	}
	return nil
}

// touchPlaces reads the index documents that followers leave or may not be in. If a follower is not in the index
// document, touchPlaces clears their place in follows. The edge of such a follower belongs to an earlier life of u's
// account, which ended while the unfollow was on its way.
//
// It costs a read for each index document. An index document that is younger than an edge that names it costs another
// read, of the array alone. Such a document may still hold the follower: a repair created it anew, or a database was
// restored.
func (x *Graph) touchPlaces(ctx context.Context, tx *firestore.Transaction, u string, follows []State, t touched) error {
	var ids []string
	for _, f := range follows {
		if f.Doubted || f.leaves() {
			ids = append(ids, f.Edge.Places()...)
		}
	}
	if err := x.touch(ctx, tx, u, ids, t); err != nil {
		return err
	}
	arrays := map[string][]string{}
	for n, f := range follows {
		if !f.Doubted && !f.leaves() || t.damaged[f.Edge.IndexID] != nil {
			continue
		}
		id := f.Edge.IndexID
		if index, there := t.documents[id]; there {
			if !OlderThan(f.updated, index.Created) {
				continue
			}
			if _, read := arrays[id]; !read {
				var err error
				if arrays[id], err = x.followersIn(ctx, u, id, follows); err != nil {
					return err
				}
			}
			if slices.Contains(arrays[id], f.ID) {
				continue
			}
		}
		edge := *f.Edge
		edge.IndexID, edge.MovesTo = "", ""
		follows[n].Edge = &edge
	}
	return nil
}

// touchCurrent reads the current index document if any follower joins. It returns
// ErrStale if the document does not exist.
func (x *Graph) touchCurrent(ctx context.Context, tx *firestore.Transaction, u string, follows []State, current string, t touched) error {
	if current == "" || !slices.ContainsFunc(follows, State.joins) {
		return nil
	}
	if err := x.touch(ctx, tx, u, []string{current}, t); err != nil {
		return err
	}
	if _, there := t.documents[current]; !there && t.damaged[current] == nil {
		return store.ErrStale
	}
	return nil
}

// followersIn returns the followers that index document i of u holds. If the document
// cannot be read, it returns all.
func (x *Graph) followersIn(ctx context.Context, u, i string, follows []State) (in []string, err error) {
	share, err := x.arrays.Take(ctx, x.db.Config.FullBytes())
	if err != nil {
		return nil, err
	}
	defer share.Release()
	docs, err := x.db.Client.GetAll(wire.WithMask(ctx, isIndexDocument, schema.FieldFollowers), []*firestore.DocumentRef{x.db.IndexDocuments(u).Doc(i)})
	if err != nil {
		return nil, err
	}
	index, err := schema.DecodeIndexDocument(docs[0])
	for _, f := range follows {
		if err != nil || slices.Contains(index.Followers, f.ID) {
			in = append(in, f.ID)
		}
	}
	return in, nil
}

// OlderThan reports whether an edge is older than the index document that it names. edge is the time when the edge was
// written. index is the time when the index document was created; zero if it is missing.
func OlderThan(edge, index time.Time) bool { return index.IsZero() || edge.Before(index) }

// AddHalves adds the first half-empty index documents of u to documents: as many as the joining followers may need, but
// none of from. Call it when the current index document is full.
//
// It costs a read, of two fields, for each index document not in documents yet, and
// another for each one that it adds. It returns ErrStale if an index document is
// missing: opening another would leave a gap.
func (x *Graph) AddHalves(ctx context.Context, u string, dir Directory, joining int, documents map[string]schema.IndexDocument, from map[string]bool) error {
	narrow := wire.WithMask(ctx, isIndexDocument, schema.FieldCount, schema.FieldSizeBytes)
	var halves []*firestore.DocumentRef
	for part := range slices.Chunk(dir.IDs, schema.MaxBatch) {
		var refs []*firestore.DocumentRef
		for _, id := range part {
			if _, read := documents[id]; !read && !from[id] {
				refs = append(refs, x.db.IndexDocuments(u).Doc(id))
			}
		}
		docs, err := x.db.Client.GetAll(narrow, refs)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if !doc.Exists() {
				return store.ErrStale
			}
			if meta, err := schema.DecodeIndexDocument(doc); err == nil && joining > 0 && capacityOf(x.db.Config).HalfEmpty(fillOf(meta)) {
				halves = append(halves, doc.Ref)
				joining -= x.db.Config.Capacity - meta.Count
			}
		}
	}
	docs, err := x.db.Client.GetAll(ctx, halves)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if !doc.Exists() {
			return store.ErrStale
		}
		if meta, err := schema.DecodeIndexDocument(doc); err == nil {
			documents[doc.Ref.ID] = meta
		}
	}
	return nil
}

// WithoutFollowers makes reads of index documents under ctx leave out their arrays: up
// to 330 KB that members and sync do not need.
func (x *Graph) WithoutFollowers(ctx context.Context) context.Context {
	return wire.WithMask(ctx, isIndexDocument, metaFields...)
}

func isIndexDocument(document string) bool {
	return path.Base(path.Dir(document)) == names.FollowersIndex
}
