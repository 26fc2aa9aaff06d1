package repair

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/tallies"
)

// blocks ends the follows that a block forbids, whoever of the two blocks the other. places then handles these followers
// like others who do not follow.
func (r *authorRepair) blocks(ctx context.Context) error {
	for _, f := range r.damage.blocked {
		for _, p := range [][2]string{{r.author, f}, {f, r.author}} {
			if err := r.graph.Block(ctx, p[0], p[1], time.Time{}); err != nil {
				return err
			}
		}
		r.damage.followers[f] = true
		r.did(1)
	}
	return nil
}

// counts counts the wrong numbers and notifications again. It makes no notification that would have expired.
func (r *authorRepair) counts(ctx context.Context) error {
	r.did(len(r.damage.tallies))
	return r.tallies.Mend(ctx, r.damage.tallies...)
}

// damage holds the violations of one author that a repair acts on.
type damage struct {
	structure bool                // index documents, or the user document that names them, are wrong
	followers map[string]bool     // with a wrong place or edge
	blocked   []string            // users who follow in spite of a block
	relations map[string][]string // by index document, or DirectIndex, the posts whose relation is wrong or missing
	strays    []string            // names of relations that should not exist
	tallies   []tallies.Subject   // numbers and notifications that are wrong
}

// authorRepair is the repair of one author.
type authorRepair struct {
	*Repairer
	author string
	damage *damage
	did    func(documents int) // counts progress
	from   map[string]bool     // index documents that a merge closes: followers with another place leave them

	behind    map[string]bool // index documents that may be ahead of their relations
	whole     map[string]bool // those of behind that will be backfilled
	unsettled []string        // followers whose edges name index documents that they left
	over      int             // followers above the capacity of index documents, left for another pass
}

// repairAuthor repairs the findings for author u. The order matters. First it deletes follows that a block forbids.
// Then it repairs index documents, then the user document that names them, then the followers in them. Relations, which
// copy these, come last.
//
// It may crash anywhere: verify reports what each step leaves. Run it again.
func (x *Repairer) repairAuthor(ctx context.Context, u string, d *damage, did func(int)) error {
	r := &authorRepair{Repairer: x, author: u, damage: d, did: did}
	var rejected work.Failures // relations; other repairs go on
	for _, step := range []func(context.Context) error{r.blocks, r.passes, r.strays, r.counts} {
		err := step(ctx)
		if work.OnlyRejected(err) {
			rejected.Add(err)
		} else if err != nil {
			return fmt.Errorf("repair author %q: %w", u, err)
		}
	}
	if err := rejected.Joined(); err != nil {
		return fmt.Errorf("repair author %q: %w", u, err)
	}
	return nil
}

// passes repairs index documents, then the relations that copy them. It repeats that
// while more followers were above the capacity than a pass holds.
func (r *authorRepair) passes(ctx context.Context) error {
	for before := 0; ; {
		r.behind, r.whole, r.unsettled = map[string]bool{}, map[string]bool{}, nil
		if err := r.structure(ctx); err != nil {
			return err
		}
		if err := r.copies(ctx); err != nil {
			return err
		}
		if r.over == 0 || before > 0 && r.over >= before {
			return nil
		}
		before = r.over
		r.damage.followers, r.damage.relations = map[string]bool{}, nil
	}
}

// structure repairs index documents, the user document and edges.
func (r *authorRepair) structure(ctx context.Context) error {
	d := r.damage
	if r.over = 0; !d.structure && len(d.followers) == 0 {
		return nil
	}
	s, err := r.surveyIndexes(ctx, r.author, d.followers)
	if err != nil {
		return err
	}
	r.over = s.over
	for _, i := range s.behind {
		r.behind[i], r.whole[i] = true, true
	}
	for _, i := range s.logs {
		r.behind[i] = true
	}
	if err := r.mend(ctx, s.mend); err != nil {
		return err
	}
	for _, doc := range s.foreign {
		// A crash after the deletion leaves its followers without a place: verify reports
		// them.
		if _, err := doc.ref.Delete(ctx, firestore.LastUpdateTime(doc.updated)); err != nil && !store.IsStale(err) {
			return fmt.Errorf("delete %s: %w", doc.ref.Path, err)
		}
		r.did(1)
	}
	if _, err := r.graph.RepairDirectory(ctx, r.author); err != nil {
		return err
	}
	r.did(1)
	if err := r.copyFirst(ctx, s.surplus, s.full); err != nil {
		return err
	}
	if err := r.places(ctx, s.holders); err != nil {
		return err
	}
	// Again: an edge may have named an index document that had lost the follower. If the
	// follower unfollowed meanwhile, that document's count is now too low. By now, no
	// edge names such a document.
	return r.mend(ctx, slices.Concat(s.mend, slices.Collect(maps.Keys(r.behind))))
}

// mend corrects index documents that disagree with themselves.
func (r *authorRepair) mend(ctx context.Context, indexes []string) error {
	// From the last to the first: a missing one is created only if the next one exists.
	for _, i := range slices.Backward(slices.Compact(slices.Sorted(slices.Values(indexes)))) {
		how, err := r.graph.MendIndexDocument(ctx, r.author, i, nil)
		if err != nil {
			return fmt.Errorf("mend index document %s: %w", i, err)
		}
		if how == followers.Rewrite {
			r.behind[i], r.whole[i] = true, true
		}
		r.did(1)
	}
	return nil
}

// copyFirst adds followers of the index documents from to other index documents too, and brings the relations of these
// up to date. Later, places removes the followers from from. So nobody misses a post, even if another process syncs the
// relations of from meanwhile.
//
// Followers who cannot be copied, because an edge is damaged, are left to places.
//
// A crash after a batch leaves followers in two index documents. Their edges name both,
// and an unfollow removes them from both. Verify reports them, and the next repair leaves
// them one place.
func (r *authorRepair) copyFirst(ctx context.Context, surplus []string, from map[string]bool) error {
	to := map[string]bool{}
	for batch := range followers.Batches(surplus) {
		for n, o := range r.graph.CommitAssuming(ctx, nil, r.author, batch, followers.Assumption{From: from}) {
			if schema.OnlyDamaged(o.Err) {
				continue
			}
			if o.Err != nil {
				return fmt.Errorf("copy %q to another index document: %w", batch[n], o.Err)
			}
			for _, i := range o.Value.Indexes() {
				r.behind[i] = true
				to[i] = !from[i]
			}
		}
		r.did(len(batch))
	}
	for _, i := range slices.Sorted(maps.Keys(to)) {
		if !to[i] {
			continue
		}
		if err := r.catchUp(ctx, i); err != nil {
			return fmt.Errorf("relations of index document %s: %w", i, err)
		}
	}
	return nil
}

// places repairs the places and edges of the reported followers. Followers in the same
// index document are repaired together.
func (r *authorRepair) places(ctx context.Context, holders map[string][]string) error {
	suspects := slices.DeleteFunc(slices.Collect(maps.Keys(r.damage.followers)), func(f string) bool { return schema.CheckID(f) != nil })
	slices.SortFunc(suspects, func(a, b string) int {
		return slices.Compare(append(slices.Clone(holders[a]), a), append(slices.Clone(holders[b]), b))
	})
	for batch := range followers.Batches(suspects) {
		changed, unsettled, err := r.repairPlaces(ctx, r.author, batch, holders, r.from)
		if err != nil {
			return fmt.Errorf("places of %d followers: %w", len(batch), err)
		}
		for _, i := range changed {
			r.behind[i] = true
		}
		r.unsettled = append(r.unsettled, unsettled...)
		r.did(len(batch))
	}
	return nil
}

// copies brings relations up to date with the index documents, then settles the edges
// that waited for that. It skips relations that Firestore rejects, and returns their
// errors at the end. Edges that wait for such relations stay as they are.
func (r *authorRepair) copies(ctx context.Context) error {
	if schema.CheckAccountID(r.author) != nil {
		return nil // no query finds such an author's posts, so there are no relations
	}
	unsettled, err := r.graph.Memberships(ctx, r.author, r.unsettled) // before the relations: later unfollows are not settled here
	if err != nil {
		return err
	}
	gained := map[string]int{} // 1: a follower was moved to it
	for _, m := range unsettled {
		for _, i := range m.Indexes() {
			r.behind[i] = true
		}
		if m.Edge.IndexID != "" {
			gained[m.Edge.IndexID] = 1
		}
	}
	// First come index documents that a follower was moved to. The follower is then in
	// the relations of both documents, rather than of neither. Then the newest come
	// first: an index document that repair opened is newer than those that its followers
	// leave.
	order := slices.SortedFunc(maps.Keys(r.behind), func(a, b string) int {
		return cmp.Or(cmp.Compare(gained[b], gained[a]), cmp.Compare(b, a))
	})
	var rejected work.Failures
	old := map[string]bool{} // index documents with relations that stay stale
	for _, i := range order {
		if err := r.catchUp(ctx, i); work.OnlyRejected(err) {
			old[i] = true
			rejected.Add(fmt.Errorf("relations of index document %s: %w", i, err))
		} else if err != nil {
			return fmt.Errorf("relations of index document %s: %w", i, err)
		}
		r.did(1)
	}
	memberOf := map[string]followers.Membership{}
	for n, m := range unsettled {
		if !slices.ContainsFunc(m.Indexes(), func(i string) bool { return old[i] }) {
			memberOf[r.unsettled[n]] = m
		}
	}
	_, err = work.Each(ctx, r.graph.Pool, slices.Sorted(maps.Keys(memberOf)), func(ctx context.Context, f string) error {
		m := memberOf[f]
		if !m.Follows && m.Edge.IndexID != "" {
			return nil // has just unfollowed: the event settles the edge
		}
		if err := r.graph.Settle(ctx, r.db.Edge(r.author, f), m); err != nil {
			return fmt.Errorf("settle edge of %q: %w", f, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, i := range slices.Sorted(maps.Keys(r.damage.relations)) {
		if r.whole[i] {
			continue // all its relations have just been copied
		}
		if err := r.copyOver(ctx, r.author, i, r.damage.relations[i]); work.OnlyRejected(err) {
			rejected.Add(fmt.Errorf("relations of index document %s: %w", i, err))
		} else if err != nil {
			return fmt.Errorf("relations of index document %s: %w", i, err)
		}
		r.did(len(r.damage.relations[i]))
	}
	return rejected.Joined()
}

// catchUp brings the relations of index document i up to date. If relations are off, it leaves them as they are.
func (r *authorRepair) catchUp(ctx context.Context, i string) error {
	if !r.db.Config.Relations() {
		return nil
	}
	return r.relations.CatchUp(ctx, r.author, i)
}

// strays deletes the relations that should not exist.
func (r *authorRepair) strays(ctx context.Context) error {
	_, err := work.Each(ctx, r.graph.Pool, r.damage.strays, func(ctx context.Context, name string) error {
		defer r.did(1)
		return r.dropStray(ctx, name)
	})
	return err
}
