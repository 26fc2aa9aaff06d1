package repair

import (
	"context"
	"errors"
	"fmt"
	"math"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// RepairAndMerge is Repair that also closes index documents. If an author's half-empty index documents have room for
// the followers of the last one, it moves them there and deletes the last. It repeats this while it can. So an author
// who has lost many followers has fewer relations for each post. Use the same Options as the functions: the Options
// decide which index documents have room. progress also receives "merge".
//
// Followers join the relations of the other index document before they leave those of the last, so nobody misses a
// post. Follows, unfollows, posts and other repairs may run at the same time. If anyone joins or remains in an index
// document, that document is left for the next call. The call may die at any moment. The next call continues.
//
// It costs as much as two Repairs, and a read of each index document's id. For each index document that it closes, it
// also reads two fields of all others of the author. Each moved follower costs about 12 reads and 3 writes. For each
// post, a closed index document costs about 5 reads, 2 writes and a delete. Each index document that receives its
// followers costs a write for each post.
func (x *Repairer) RepairAndMerge(ctx context.Context, author string, report func(verify.Violation), progress func(doing string, documents int64)) (Repaired, error) {
	first, err := x.Repair(ctx, author, report, progress)
	if err != nil {
		return first, err
	}
	failed := x.mergeAll(ctx, author, progress)
	last, err := x.Repair(ctx, author, nil, progress)
	last.Before = first.Before
	last.Marks += first.Marks
	return last, errors.Join(failed, err)
}

// mergeAll merges the index documents of each author, or of only one. It continues with
// other authors after an error.
func (x *Repairer) mergeAll(ctx context.Context, author string, progress func(string, int64)) error {
	indexes, err := x.verifier.IndexDocuments(ctx, author)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	var documents int64
	did := func(n int) {
		if documents += int64(n); progress != nil {
			progress("merge", documents)
		}
	}
	var failed work.Failures
	for u, ids := range indexes {
		for range ids {
			closed, err := x.mergeLast(ctx, u, did)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				failed.Add(fmt.Errorf("merge index documents of %q: %w", u, err))
			}
			if !closed {
				break
			}
		}
	}
	return failed.Joined()
}

// mergeLast moves the followers of u's last index document to half-empty ones, and closes the last. Without enough
// room, it does nothing.
func (x *Repairer) mergeLast(ctx context.Context, u string, did func(int)) (closed bool, err error) {
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u)})
	if err != nil {
		return false, err
	}
	dir := followers.ReadDirectory(snaps[0])
	if dir.Damage != "" || len(dir.IDs) < 2 {
		return false, nil
	}
	last := dir.IDs[len(dir.IDs)-1]
	if snaps, err = x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.IndexDocuments(u).Doc(last)}); err != nil || !snaps[0].Exists() {
		return false, err
	}
	closing, err := schema.DecodeIndexDocument(snaps[0])
	if err != nil {
		return false, err
	}
	room, err := x.roomFor(ctx, u, dir, closing.Followers)
	if err != nil || !room {
		return false, err
	}
	r := &authorRepair{
		Repairer: x, author: u, did: did, from: map[string]bool{last: true},
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

// roomFor reports whether u's half-empty index documents, without the last, have room for followers.
func (x *Repairer) roomFor(ctx context.Context, u string, dir followers.Directory, followers []string) (bool, error) {
	last := dir.IDs[len(dir.IDs)-1]
	halves := map[string]schema.IndexDocument{}
	// Request twice as many places, so that the search does not stop at a document that
	// is full by its bytes.
	err := x.graph.AddHalves(x.graph.WithoutFollowers(ctx), u, dir, 2*len(followers)+1, halves, map[string]bool{last: true})
	if store.IsStale(err) {
		return false, nil
	}
	ids, bytes := len(followers), schema.IDsBytes(followers)
	for _, doc := range halves {
		ids -= x.db.Config.Capacity - doc.Count
		bytes -= x.db.Config.FollowersBytes - doc.SizeBytes - schema.MaxIDBytes
	}
	return ids <= 0 && bytes <= 0, err
}

// closeIndex deletes u's last index document if neither the document nor a relation of
// it holds anyone. The same transaction removes it from the user document. Then
// closeIndex deletes its relations.
//
// A concurrent follow that read the user document earlier finds one of the two
// documents changed.
func (x *Repairer) closeIndex(ctx context.Context, u, last string, did func(int)) (bool, error) {
	ref := x.db.IndexDocuments(u).Doc(last)
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.User(u), ref})
	if err != nil {
		return false, err
	}
	dir := followers.ReadDirectory(snaps[0])
	n := len(dir.IDs) - 1
	if dir.Damage != "" || n < 1 || dir.IDs[n] != last || !snaps[1].Exists() {
		return false, nil
	}
	index, err := schema.DecodeIndexDocument(snaps[1])
	if err != nil || len(index.Followers) > 0 {
		return false, err
	}
	stale, err := x.relations.HasStale(ctx, u, last, index.Version)
	if err != nil || stale {
		return false, err
	}
	if dir.IDs = dir.IDs[:n]; dir.Current == last {
		dir.Current = dir.IDs[0]
	}
	// A crash after this leaves relations that hold nobody. Verify reports them, and
	// the next repair deletes them.
	err = x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if err := tx.Delete(ref, firestore.LastUpdateTime(index.Updated)); err != nil {
			return err
		}
		return x.graph.NameIndexes(tx, snaps[0], dir)
	})
	if store.IsStale(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	did(1)
	for first := ""; ; {
		left, err := x.relations.StaleQuery(u, last, math.MaxInt64).Limit(schema.MaxBatch).Documents(ctx).GetAll()
		if err != nil || len(left) == 0 || left[0].Ref.ID == first { // the relation stays: the index document is open again
			return true, err
		}
		first = left[0].Ref.ID
		ids := make([]string, len(left))
		for n, relation := range left {
			ids[n] = relation.Ref.ID
		}
		if _, err := work.Each(ctx, x.graph.Pool, ids, x.dropStray); err != nil {
			return true, err
		}
		did(len(left))
	}
}
