package relations

import (
	"context"
	"errors"
	"fmt"
	"math"

	"cloud.google.com/go/firestore"
)

// RepairAndMerge is Repair that also closes index documents. If an author's half empty
// index documents have room for the followers of the last one, it moves them there and
// deletes the last. It repeats this while it can. So an author whom many have left has
// fewer relations for each post. Use the same Options as the functions: they decide
// what has room. progress also receives "merge".
//
// Followers join the relations of the other index document before they leave those of
// the last, so nobody misses a post. Follows, unfollows, posts and other repairs may
// run at the same time. If anyone joins or remains in an index document, it is left for
// the next call. The call may die at any moment. The next call continues.
//
// It costs as much as two Repairs, and reads of the ids of all index documents. For
// each index document that it closes, it also reads two fields of all others of the
// author. Each moved follower costs about 12 reads and 3 writes. For each post, a
// closed index document costs about 5 reads, 2 writes and a delete. Each index document
// that receives its followers costs a write for each post.
func (x *Index) RepairAndMerge(ctx context.Context, author string, report func(Violation), progress func(doing string, documents int64)) (Repaired, error) {
	first, err := x.Repair(ctx, author, report, progress)
	if err != nil {
		return first, err
	}
	failed := x.mergeAll(ctx, author, progress)
	last, err := x.Repair(ctx, author, nil, progress)
	last.Before = first.Before
	return last, errors.Join(failed, err)
}

// mergeAll merges the index documents of each author, or of only one. It continues with
// other authors after an error.
func (x *Index) mergeAll(ctx context.Context, author string, progress func(string, int64)) error {
	v := x.verifier(nil, nil)
	v.only = author
	if err := v.nameIndexes(ctx); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	var documents int64
	did := func(n int) {
		if documents += int64(n); progress != nil {
			progress("merge", documents)
		}
	}
	var failed failures
	for u, ids := range v.indexes {
		for range ids {
			closed, err := x.mergeLast(ctx, u, did)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				failed.add(fmt.Errorf("merge index documents of %q: %w", u, err))
			}
			if !closed {
				break
			}
		}
	}
	return failed.joined()
}

// mergeLast moves the followers of u's last index document to half empty ones, and
// closes it. Without enough room, it does nothing.
func (x *Index) mergeLast(ctx context.Context, u string, did func(int)) (closed bool, err error) {
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(u)})
	if err != nil {
		return false, err
	}
	dir := readDirectory(snaps[0])
	if dir.damage != "" || len(dir.ids) < 2 {
		return false, nil
	}
	last := dir.ids[len(dir.ids)-1]
	if snaps, err = x.client.GetAll(ctx, []*firestore.DocumentRef{x.indexDocuments(u).Doc(last)}); err != nil || !snaps[0].Exists() {
		return false, err
	}
	closing, err := decodeMeta(snaps[0])
	if err != nil {
		return false, err
	}
	room, err := x.roomFor(ctx, u, dir, closing.Followers)
	if err != nil || !room {
		return false, err
	}
	r := &authorRepair{
		Index: x, author: u, did: did, from: map[string]bool{last: true},
		behind: map[string]bool{last: true}, whole: map[string]bool{}, damage: &damage{followers: map[string]bool{}},
	}
	holders := map[string][]string{}
	for _, f := range closing.Followers {
		r.damage.followers[f], holders[f] = true, []string{last}
	}
	if err := r.copyFirst(ctx, closing.Followers, r.from); err != nil {
		return false, err
	}
	if err := r.places(ctx, holders); err != nil {
		return false, err
	}
	if err := r.copies(ctx); err != nil {
		return false, err
	}
	return x.closeIndex(ctx, u, last, did)
}

// roomFor reports whether u's half empty index documents, without the last, have room
// for followers.
func (x *Index) roomFor(ctx context.Context, u string, dir directory, followers []string) (bool, error) {
	last := dir.ids[len(dir.ids)-1]
	halves := map[string]IndexDocument{}
	// Request twice as many places, so that the search does not stop at a document that
	// is full by its bytes.
	err := x.addHalves(x.withoutFollowers(ctx), u, dir, 2*len(followers)+1, halves, map[string]bool{last: true})
	if isStale(err) {
		return false, nil
	}
	ids, bytes := len(followers), bytesOf(followers)
	for _, doc := range halves {
		ids -= x.opts.Capacity - doc.Count
		bytes -= x.opts.FollowersBytes - doc.SizeBytes - maxIDBytes
	}
	return ids <= 0 && bytes <= 0, err
}

// closeIndex deletes u's last index document if neither the document nor a relation of
// it holds anyone. The same transaction removes it from the user document. Then
// closeIndex deletes its relations.
//
// A concurrent follow that read the user document earlier finds one of the two
// documents changed.
func (x *Index) closeIndex(ctx context.Context, u, last string, did func(int)) (bool, error) {
	ref := x.indexDocuments(u).Doc(last)
	snaps, err := x.client.GetAll(ctx, []*firestore.DocumentRef{x.user(u), ref})
	if err != nil {
		return false, err
	}
	dir := readDirectory(snaps[0])
	n := len(dir.ids) - 1
	if dir.damage != "" || n < 1 || dir.ids[n] != last || !snaps[1].Exists() {
		return false, nil
	}
	index, err := decodeMeta(snaps[1])
	if err != nil || len(index.Followers) > 0 {
		return false, err
	}
	stale, err := x.staleRelations(ctx, u, last, index.Version, 1)
	if err != nil || len(stale) > 0 {
		return false, err
	}
	if dir.ids = dir.ids[:n]; dir.current == last {
		dir.current = dir.ids[0]
	}
	// A crash after this leaves relations that hold nobody. Verify reports them, and
	// the next repair deletes them.
	err = x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := tx.Delete(ref, firestore.LastUpdateTime(index.updated)); err != nil {
			return err
		}
		return x.nameIndexes(tx, snaps[0], dir)
	})
	if isStale(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	did(1)
	for first := ""; ; {
		left, err := x.staleQuery(u, last, math.MaxInt64).Limit(maxBatch).Documents(ctx).GetAll()
		if err != nil || len(left) == 0 || left[0].Ref.ID == first { // the relation stays: the index document is open again
			return true, err
		}
		first = left[0].Ref.ID
		if _, err := each(ctx, x, ids(left), x.dropStray); err != nil {
			return true, err
		}
		did(len(left))
	}
}
