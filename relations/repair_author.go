package relations

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"
)

// damage is what verify found of one author, as far as a repair acts on it.
type damage struct {
	structure bool                // of the index documents, or of the user document that names them
	followers map[string]bool     // whose place or mirror is wrong
	blocked   []string            // who follow all the same
	relations map[string][]string // for index documents, the posts whose relation is wrong or missing
	strays    []string            // names of relations that should not be there
}

// authorRepair is the repair of one author.
type authorRepair struct {
	*Index
	author string
	damage *damage
	did    func(documents int) // counts progress
	from   map[string]bool     // index documents that a merge closes: who has another place leaves them

	behind    map[string]bool // index documents that may be ahead of their relations
	whole     map[string]bool // those among them that will be backfilled
	unsettled []string        // followers whose mirrors say that they have left some
	over      int             // followers who are too many in their index documents, and wait for another pass
}

// repairAuthor repairs what was found of author u. The order matters: follows
// that should not be, index documents that agree with themselves, the user document that names them,
// the followers in them, and then the relations that are copies of them.
//
// It may die anywhere, and be run again: each step leaves what verify names.
func (x *Index) repairAuthor(ctx context.Context, u string, d *damage, did func(int)) error {
	r := &authorRepair{Index: x, author: u, damage: d, did: did}
	var refused failures // relations, which keep nothing else from being repaired
	for _, step := range []func(context.Context) error{r.blocks, r.passes, r.strays} {
		err := step(ctx)
		if onlyRefused(err) {
			refused.add(err)
		} else if err != nil {
			return fmt.Errorf("repair author %q: %w", u, err)
		}
	}
	if err := refused.joined(); err != nil {
		return fmt.Errorf("repair author %q: %w", u, err)
	}
	return nil
}

// passes repairs index documents, and then the relations that are copies of them; again while there were more
// followers too many in them than a pass holds.
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

// structure repairs index documents, the user document and mirrors.
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
		// A crash after it leaves those whom it held without a place: verify
		// names them.
		if _, err := doc.ref.Delete(ctx, firestore.LastUpdateTime(doc.updated)); err != nil && !isStale(err) {
			return fmt.Errorf("delete %s: %w", doc.ref.Path, err)
		}
		r.did(1)
	}
	if _, err := r.repairDirectory(ctx, r.author); err != nil {
		return err
	}
	r.did(1)
	if err := r.copyFirst(ctx, s.surplus, s.full); err != nil {
		return err
	}
	if err := r.places(ctx, s.holders); err != nil {
		return err
	}
	// Again: somebody whose mirror named an index document that had lost them may
	// have unfollowed meanwhile, and was counted out of it. Now no mirror does.
	return r.mend(ctx, slices.Concat(s.mend, slices.Collect(maps.Keys(r.behind))))
}

// mend makes index documents agree with themselves.
func (r *authorRepair) mend(ctx context.Context, indexes []string) error {
	for _, i := range slices.Compact(slices.Sorted(slices.Values(indexes))) {
		how, err := r.mendIndexDocument(ctx, r.author, i, nil)
		if err != nil {
			return fmt.Errorf("mend index document %s: %w", i, err)
		}
		if how == rewrite {
			r.behind[i], r.whole[i] = true, true
		}
		r.did(1)
	}
	return nil
}

// copyFirst puts followers of the index documents from into others too, and brings the
// relations of those up to date. So nobody misses a post when places takes the
// followers out of from, whoever syncs the relations of that meanwhile.
//
// Who cannot be copied, because a mirror is damaged, is left to places.
//
// A crash after a batch leaves followers in two index documents: their mirrors say so,
// and an unfollow takes them out of both. Verify names them, and the next repair leaves
// them one place.
func (r *authorRepair) copyFirst(ctx context.Context, followers []string, from map[string]bool) error {
	to := map[string]bool{}
	for batch := range batches(followers) {
		for n, o := range r.commitAssuming(ctx, r.author, batch, assumption{from: from}) {
			if onlyDamaged(o.err) {
				continue
			}
			if o.err != nil {
				return fmt.Errorf("copy %q to another index document: %w", batch[n], o.err)
			}
			for _, i := range o.value.indexes() {
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
		if err := r.catchUp(ctx, r.author, i); err != nil {
			return fmt.Errorf("relations of index document %s: %w", i, err)
		}
	}
	return nil
}

// places repairs the places and mirrors of the followers that were named,
// those of the same index document together.
func (r *authorRepair) places(ctx context.Context, holders map[string][]string) error {
	suspects := slices.DeleteFunc(slices.Collect(maps.Keys(r.damage.followers)), func(f string) bool { return CheckID(f) != nil })
	slices.SortFunc(suspects, func(a, b string) int {
		return slices.Compare(append(slices.Clone(holders[a]), a), append(slices.Clone(holders[b]), b))
	})
	for batch := range batches(suspects) {
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

// copies brings relations up to date with the index documents, and then
// settles the mirrors that waited for it. It goes past relations that Firestore
// refuses: they fail it at its end, and mirrors that wait for them stay as they are.
func (r *authorRepair) copies(ctx context.Context) error {
	if checkAuthorID(r.author) != nil {
		return nil // no query finds such an author's posts; there are no relations
	}
	unsettled, err := r.memberships(ctx, r.author, r.unsettled) // before the relations: whoever leaves after that is not settled here
	if err != nil {
		return err
	}
	gained := map[string]int{} // 1 where somebody was moved to
	for _, m := range unsettled {
		for _, i := range m.indexes() {
			r.behind[i] = true
		}
		if m.mirror.IndexID != "" {
			gained[m.mirror.IndexID] = 1
		}
	}
	// Those first that somebody was moved to, out of one that is too full: they are
	// in the relations of both rather than of none. Then the newest first: what repair
	// opens for those who are too many is newer than what they leave.
	order := slices.SortedFunc(maps.Keys(r.behind), func(a, b string) int {
		return cmp.Or(cmp.Compare(gained[b], gained[a]), cmp.Compare(b, a))
	})
	var refused failures
	old := map[string]bool{} // index documents that have relations which stay behind
	for _, i := range order {
		if err := r.catchUp(ctx, r.author, i); onlyRefused(err) {
			old[i] = true
			refused.add(fmt.Errorf("relations of index document %s: %w", i, err))
		} else if err != nil {
			return fmt.Errorf("relations of index document %s: %w", i, err)
		}
		r.did(1)
	}
	memberOf := map[string]membership{}
	for n, m := range unsettled {
		if !slices.ContainsFunc(m.indexes(), func(i string) bool { return old[i] }) {
			memberOf[r.unsettled[n]] = m
		}
	}
	_, err = each(ctx, r.Index, slices.Sorted(maps.Keys(memberOf)), func(ctx context.Context, f string) error {
		m := memberOf[f]
		if !m.follows && m.mirror.IndexID != "" {
			return nil // has just unfollowed: the event takes care of it
		}
		if err := r.settle(ctx, r.mirror(r.author, f), m); err != nil {
			return fmt.Errorf("settle mirror of %q: %w", f, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, i := range slices.Sorted(maps.Keys(r.damage.relations)) {
		if r.whole[i] {
			continue // all of them have just been copied
		}
		if err := r.copyOver(ctx, r.author, i, r.damage.relations[i]); onlyRefused(err) {
			refused.add(fmt.Errorf("relations of index document %s: %w", i, err))
		} else if err != nil {
			return fmt.Errorf("relations of index document %s: %w", i, err)
		}
		r.did(len(r.damage.relations[i]))
	}
	return refused.joined()
}

// strays deletes the relations that should not be there.
func (r *authorRepair) strays(ctx context.Context) error {
	_, err := each(ctx, r.Index, r.damage.strays, func(ctx context.Context, name string) error {
		defer r.did(1)
		return r.dropStray(ctx, name)
	})
	return err
}
