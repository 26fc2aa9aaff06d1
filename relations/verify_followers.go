package relations

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

// indexSummary is what relations of an index document have to agree with.
type indexSummary struct {
	version   int64
	followers setDigest
}

// setDigest tells sets of ids apart whatever their order: the number of ids and
// the sums of two parts of their hashes.
type setDigest struct {
	n    int
	a, b uint64
}

func digestOf(ids []string) setDigest {
	d := setDigest{n: len(ids)}
	for _, id := range ids {
		sum := sha256.Sum256([]byte(id))
		d.a += binary.BigEndian.Uint64(sum[0:8])
		d.b += binary.BigEndian.Uint64(sum[8:16])
	}
	return d
}

// checkFollowers is invariants 1 and 2, from the side of the follower
// documents and then from that of the index documents of authors without any.
func (v *verifier) checkFollowers(ctx context.Context) error {
	c := v.opts.Collections
	indexes := v.client.CollectionGroup(c.FollowersIndex).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	ours := v.below(c.FollowersIndex)
	for doc, err := range documents(ctx, indexes) {
		if err != nil {
			return err
		}
		if u, ok := ours(doc); ok {
			v.indexes[u]++
		}
	}
	followers := v.client.CollectionGroup(c.Followers).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	err := grouped(ctx, followers, v.below(c.Followers), func(ctx context.Context, u string, docs []*firestore.DocumentSnapshot) error {
		v.seen(&v.count.Followers, len(docs))
		return v.checkAuthor(ctx, u, ids(docs))
	})
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	for u := range v.indexes {
		if !v.checked(u) {
			group.Go(func() error { return v.checkAuthor(ctx, u, nil) })
		}
	}
	return group.Wait()
}

// below gives the user that a document of a subcollection of users is under;
// documents of collections elsewhere that have the same name are not ours.
func (v *verifier) below(collection string) func(*firestore.DocumentSnapshot) (string, bool) {
	return func(doc *firestore.DocumentSnapshot) (string, bool) {
		user := doc.Ref.Parent.Parent
		ours := doc.Ref.Parent.ID == collection && user != nil &&
			user.Parent.ID == v.opts.Collections.Users && user.Parent.Parent == nil
		if !ours {
			return "", false
		}
		return user.ID, true
	}
}

func (v *verifier) checked(u string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.authors[u]
	return ok
}

// checkAuthor compares the ids of u's follower documents with u's index
// documents, and both with the followers' mirrors.
func (v *verifier) checkAuthor(ctx context.Context, u string, truth []string) error {
	user, err := v.client.GetAll(ctx, []*firestore.DocumentRef{v.user(u)})
	if err != nil {
		return err
	}
	dir := readDirectory(user[0])
	docs, err := v.indexDocumentsOf(ctx, u, dir)
	if err != nil {
		return err
	}
	v.seen(&v.count.IndexDocuments, len(docs))
	if dir.damage != "" {
		v.violation(2, v.user(u).Path, "%s", dir.damage)
	} else if !slices.Equal(dir.ids, ids(docs)) {
		v.violation(2, v.user(u).Path, "%s names %d index documents, there are %d", fieldFollowersIndex, len(dir.ids), len(docs))
	}
	summaries := map[string]indexSummary{}
	place := map[string]string{} // follower → index id
	for _, doc := range docs {
		var index IndexDocument
		if err := doc.DataTo(&index); err != nil {
			v.violation(2, doc.Ref.Path, "not an index document: %v", err)
			continue
		}
		v.checkIndexDocument(doc.Ref, index)
		for _, f := range index.Followers {
			if other, ok := place[f]; ok && other != doc.Ref.ID {
				v.violation(1, doc.Ref.Path, "follower %q is in index document %s too", f, other)
			}
			place[f] = doc.Ref.ID
		}
		summaries[doc.Ref.ID] = indexSummary{index.Version, digestOf(index.Followers)}
	}
	v.mu.Lock()
	v.authors[u] = summaries
	v.mu.Unlock()
	truth = slices.DeleteFunc(truth, func(f string) bool { return checkFollow(u, f) != nil })
	follows := map[string]bool{}
	for _, f := range truth {
		follows[f] = true
		if _, ok := place[f]; !ok {
			v.violation(1, v.follower(u, f).Path, "follower is in no index document")
		}
	}
	for f, i := range place {
		if !follows[f] {
			v.violation(1, v.indexDocuments(u).Doc(i).Path, "holds %q, who does not follow", f)
		}
	}
	return v.checkMirrorsOf(ctx, u, truth, place)
}

// indexDocumentsOf are u's index documents: by name where the user document
// names as many as there are, and listed otherwise.
func (v *verifier) indexDocumentsOf(ctx context.Context, u string, dir directory) ([]*firestore.DocumentSnapshot, error) {
	if len(dir.ids) == v.indexes[u] {
		if len(dir.ids) == 0 {
			return nil, nil
		}
		refs := make([]*firestore.DocumentRef, len(dir.ids))
		for n, id := range dir.ids {
			refs[n] = v.indexDocuments(u).Doc(id)
		}
		docs, err := v.client.GetAll(ctx, refs)
		if err != nil || !slices.ContainsFunc(docs, func(doc *firestore.DocumentSnapshot) bool { return !doc.Exists() }) {
			return docs, err
		}
	}
	return v.indexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc).Documents(ctx).GetAll()
}

// checkIndexDocument is invariant 2 for one document.
func (v *verifier) checkIndexDocument(ref *firestore.DocumentRef, index IndexDocument) {
	sorted := slices.Sorted(slices.Values(index.Followers))
	size := 0
	for n, f := range sorted {
		size += idBytes(f)
		if n > 0 && sorted[n-1] == f {
			v.violation(2, ref.Path, "holds %q twice", f)
		}
	}
	if index.Count != len(sorted) {
		v.violation(2, ref.Path, "count is %d, it holds %d followers", index.Count, len(sorted))
	}
	if index.SizeBytes != size {
		v.violation(2, ref.Path, "sizeBytes is %d, its followers have %d", index.SizeBytes, size)
	}
	if index.Count > v.opts.Capacity {
		v.violation(2, ref.Path, "holds %d followers, the capacity is %d", index.Count, v.opts.Capacity)
	}
	if index.SizeBytes > v.opts.FollowersBytes {
		v.violation(2, ref.Path, "holds %d bytes of ids, the budget is %d", index.SizeBytes, v.opts.FollowersBytes)
	}
	if !index.Backfilled {
		v.violation(2, ref.Path, "is not backfilled")
	}
	if n := len(index.Changes); n > 0 && index.Changes[n-1].Version != index.Version {
		v.violation(2, ref.Path, "its newest change has version %d, it has %d", index.Changes[n-1].Version, index.Version)
	}
}
