package relations

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

// indexSummary is what relations of an index document have to agree with.
type indexSummary struct {
	version   int64
	sizeBytes int // of its followers, whatever it says itself
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
	indexes := v.client.CollectionGroup(FollowersIndex).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	ours := v.below(FollowersIndex)
	for doc, err := range documents(ctx, indexes) {
		if err != nil {
			return err
		}
		if u, ok := ours(doc); ok {
			v.indexes[u]++
		}
	}
	followers := v.client.CollectionGroup(c.Followers).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	author := v.below(c.Followers)
	err := grouped(ctx, followers, func(doc *firestore.DocumentSnapshot) (string, string, bool) {
		u, ours := author(doc)
		return u, doc.Ref.ID, ours
	}, func(ctx context.Context, u string, followers []string) error {
		v.seen(&v.count.Followers, len(followers))
		return v.checkAuthor(ctx, u, followers)
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
		v.violation(Violation{Invariant: 2, Document: v.user(u).Path, Author: u}, "%s", dir.damage)
	} else if !slices.Equal(dir.ids, ids(docs)) {
		v.violation(Violation{Invariant: 2, Document: v.user(u).Path, Author: u}, "%s names %d index documents, there are %d", fieldFollowersIndex, len(dir.ids), len(docs))
	}
	summaries := map[string]indexSummary{}
	place := map[string]string{} // follower → index id
	for _, doc := range docs {
		var index IndexDocument
		if err := doc.DataTo(&index); err != nil {
			v.violation(Violation{Invariant: 2, Document: doc.Ref.Path, Author: u, Index: doc.Ref.ID}, "not an index document: %v", err)
			continue
		}
		v.checkIndexDocument(u, doc.Ref, index)
		for _, f := range index.Followers {
			if other, ok := place[f]; ok && other != doc.Ref.ID {
				v.violation(Violation{Invariant: 1, Document: doc.Ref.Path, Author: u, Follower: f, Index: doc.Ref.ID}, "follower %q is in index document %s too", f, other)
			}
			place[f] = doc.Ref.ID
		}
		summaries[doc.Ref.ID] = indexSummary{index.Version, bytesOf(index.Followers), digestOf(index.Followers)}
	}
	v.mu.Lock()
	v.authors[u] = summaries
	v.mu.Unlock()
	truth = slices.DeleteFunc(truth, func(f string) bool { return checkFollow(u, f) != nil })
	follows := map[string]bool{}
	for _, f := range truth {
		follows[f] = true
		if _, ok := place[f]; !ok {
			v.violation(Violation{Invariant: 1, Document: v.follower(u, f).Path, Author: u, Follower: f}, "follower is in no index document")
		}
	}
	for f, i := range place {
		if !follows[f] {
			v.violation(Violation{Invariant: 1, Document: v.indexDocuments(u).Doc(i).Path, Author: u, Follower: f, Index: i}, "holds %q, who does not follow", f)
		}
	}
	if v.only != "" {
		// Verify finds these from the side of the mirrors.
		strangers := slices.DeleteFunc(slices.Collect(maps.Keys(place)), func(f string) bool { return follows[f] || CheckID(f) != nil })
		if err := v.checkNoMirrors(ctx, u, strangers); err != nil {
			return err
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
func (v *verifier) checkIndexDocument(u string, ref *firestore.DocumentRef, index IndexDocument) {
	at := Violation{Invariant: 2, Document: ref.Path, Author: u, Index: ref.ID}
	sorted := slices.Sorted(slices.Values(index.Followers))
	size := 0
	for n, f := range sorted {
		size += idBytes(f)
		if n > 0 && sorted[n-1] == f {
			v.violation(at, "holds %q twice", f)
		}
	}
	if index.Count != len(sorted) {
		v.violation(at, "count is %d, it holds %d followers", index.Count, len(sorted))
	}
	if index.SizeBytes != size {
		v.violation(at, "sizeBytes is %d, its followers have %d", index.SizeBytes, size)
	}
	if index.Count > v.opts.Capacity {
		v.violation(at, "holds %d followers, the capacity is %d", index.Count, v.opts.Capacity)
	}
	if index.SizeBytes > v.opts.FollowersBytes {
		v.violation(at, "holds %d bytes of ids, the budget is %d", index.SizeBytes, v.opts.FollowersBytes)
	}
	if !index.Backfilled {
		v.violation(at, "is not backfilled")
	}
	if index.mentionsLeavers() {
		v.violation(at, "its changes name followers who have left, and every relation knows by now")
	}
	if n := len(index.Changes); n > 0 && index.Changes[n-1].Version != index.Version {
		v.violation(at, "its newest change has version %d, it has %d", index.Changes[n-1].Version, index.Version)
	}
}
