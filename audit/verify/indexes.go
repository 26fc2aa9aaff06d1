package verify

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// wholeAtOnce is how many whole index documents a read requests: each may take some 3 MB
// of heap.
const wholeAtOnce = 2

// nameIndexes lists the existing index documents, by author.
func (v *check) nameIndexes(ctx context.Context) error {
	q := v.db.Client.CollectionGroup(names.FollowersIndex).Query
	if v.only != "" {
		q = v.db.IndexDocuments(v.only).Query
	}
	ours := v.below(names.FollowersIndex)
	for doc, err := range store.Documents(ctx, q.OrderBy(firestore.DocumentID, firestore.Asc).Select()) {
		if err != nil {
			return err
		}
		if u, ok := ours(doc); ok {
			v.indexes[u] = append(v.indexes[u], strings.Clone(doc.Ref.ID))
		}
	}
	return nil
}

// checkIndexes checks invariant 2 for all of u's index documents, and for the user
// document that names them. It keeps digests of the index documents.
func (v *check) checkIndexes(ctx context.Context, u string, a *verifiedAuthor) error {
	user, err := store.ReadAll(ctx, v.db.Client, []*firestore.DocumentRef{v.db.User(u)})
	if err != nil {
		return err
	}
	dir, there := followers.ReadDirectory(user[0]), v.indexes[u]
	if dir.Damage != "" {
		v.violation(Violation{Invariant: 2, Document: v.db.User(u).Path, Author: u}, "%s", dir.Damage)
	} else if !slices.Equal(dir.IDs, there) {
		v.violation(Violation{Invariant: 2, Document: v.db.User(u).Path, Author: u}, "%s lists %d index documents, but %d exist", schema.FieldFollowersIndex, len(dir.IDs), len(there))
	}
	return v.eachIndexDocument(ctx, u, func(ref *firestore.DocumentRef, index schema.IndexDocument, err error) error {
		v.seen(&v.count.IndexDocuments, 1)
		if err != nil {
			v.violation(Violation{Invariant: 2, Document: ref.Path, Author: u, Index: ref.ID}, "not an index document: %v", err)
			return nil
		}
		v.checkIndexDocument(u, ref, index)
		summary := indexSummary{version: index.Version, sizeBytes: schema.IDsBytes(index.Followers)}
		for _, f := range index.Followers {
			h := v.hash.place(ref.ID, f)
			summary.followers.add(h)
			if !v.relationsOnly {
				a.in(f).placed.add(h)
			}
		}
		a.indexes[strings.Clone(ref.ID)] = summary
		return nil
	})
}

// eachIndexDocument calls use with each index document of u, in the order of their names, or with its decoding error.
// It reads two at a time, while use processes the two before.
func (v *check) eachIndexDocument(ctx context.Context, u string, use func(ref *firestore.DocumentRef, index schema.IndexDocument, err error) error) error {
	type whole struct {
		docs  []*firestore.DocumentSnapshot
		share *batch.Share
	}
	group, ctx := errgroup.WithContext(ctx)
	read := make(chan whole)
	group.Go(func() error {
		defer close(read)
		for part := range slices.Chunk(v.indexes[u], wholeAtOnce) {
			refs := make([]*firestore.DocumentRef, len(part))
			for n, id := range part {
				refs[n] = v.db.IndexDocuments(u).Doc(id)
			}
			share, err := v.memory.Take(ctx, len(refs)*v.db.Config.FullBytes())
			if err != nil {
				return err
			}
			docs, err := store.ReadAll(ctx, v.db.Client, refs)
			if err != nil {
				share.Release()
				return err
			}
			select {
			case read <- whole{docs, share}:
			case <-ctx.Done():
				share.Release()
				return context.Cause(ctx)
			}
		}
		return nil
	})
	group.Go(func() error {
		for w := range read {
			err := func() error {
				defer w.share.Release()
				for _, doc := range w.docs {
					if !doc.Exists() {
						continue // deleted meanwhile
					}
					var index schema.IndexDocument
					err := doc.DataTo(&index)
					if err := use(doc.Ref, index, err); err != nil {
						return err
					}
				}
				return nil
			}()
			if err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// checkIndexDocument checks invariant 2 for one document.
func (v *check) checkIndexDocument(u string, ref *firestore.DocumentRef, index schema.IndexDocument) {
	at := Violation{Invariant: 2, Document: ref.Path, Author: u, Index: ref.ID}
	sorted := slices.Sorted(slices.Values(index.Followers))
	size := 0
	for n, f := range sorted {
		size += schema.IDBytes(f)
		if n > 0 && sorted[n-1] == f {
			v.violation(at, "holds %q twice", f)
		}
	}
	if index.Count != len(sorted) {
		v.violation(at, "count is %d, but it holds %d followers", index.Count, len(sorted))
	}
	if index.SizeBytes != size {
		v.violation(at, "sizeBytes is %d, but its followers have %d", index.SizeBytes, size)
	}
	if index.Count > v.db.Config.Capacity {
		v.violation(at, "holds %d followers, but the capacity is %d", index.Count, v.db.Config.Capacity)
	}
	if index.SizeBytes > v.db.Config.FollowersBytes {
		v.violation(at, "holds %d bytes of ids, but the limit is %d", index.SizeBytes, v.db.Config.FollowersBytes)
	}
	off := !v.db.Config.Relations() // without relations, no process sets backfilled
	if !index.Backfilled && !off {
		v.violation(at, "is not backfilled")
	}
	if index.MentionsLeavers() && !off {
		v.violation(at, "its changes name followers who have left, although every relation is up to date")
	}
	if n := len(index.Changes); n > 0 && index.Changes[n-1].Version != index.Version {
		v.violation(at, "its newest change has version %d, but the document has %d", index.Changes[n-1].Version, index.Version)
	}
}
