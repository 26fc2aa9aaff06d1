package verify

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// rangeSize returns how many followers verify covers with one digest. The size lets
// verify hold several ranges whose digests differ.
func rangeSize(o schema.Config) int { return max(1, o.Held/32) }

// checkRanges compares the followers in ranges whose digests differ, then drops all
// ranges.
func (v *check) checkRanges(ctx context.Context) error {
	loose := v.unknown // there may be edges without a follow
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	held := semaphore.NewWeighted(int64(v.db.Config.Held))
	for u, a := range v.authors {
		bad := a.bad()
		if len(bad) == 0 {
			continue
		}
		loose = loose || slices.ContainsFunc(bad, func(n int) bool { return a.ranges[n].follows != a.ranges[n].edges })
		group.Go(func() error { return v.lookAt(groupCtx, u, a, bad, held) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if loose && v.only == "" {
		if err := v.checkLooseEdges(ctx); err != nil {
			return err
		}
	}
	for _, a := range v.authors {
		a.ranges = nil
	}
	return nil
}

// bad returns the numbers of the ranges whose digests differ.
func (a *verifiedAuthor) bad() (bad []int) {
	for n, r := range a.ranges {
		if !r.sound() {
			bad = append(bad, n)
		}
	}
	return bad
}

// lookAt compares some ranges of u's followers. It compares as many ranges at a time as
// have Held followers in all, at least one.
func (v *check) lookAt(ctx context.Context, u string, a *verifiedAuthor, bad []int, held *semaphore.Weighted) error {
	for len(bad) > 0 {
		few, followers := 0, 0
		for _, n := range bad {
			if few > 0 && followers+a.ranges[n].follows.n > v.db.Config.Held {
				break
			}
			few++
			followers += a.ranges[n].follows.n
		}
		weight := int64(min(followers, v.db.Config.Held))
		if err := held.Acquire(ctx, weight); err != nil {
			return err
		}
		err := v.lookAtOnce(ctx, u, a, bad[:few])
		held.Release(weight)
		if err != nil {
			return err
		}
		bad = bad[few:]
	}
	return nil
}

// lookAtOnce compares the followers of u in some ranges with index documents and edges,
// one by one. It reads all three again: if the database is not at rest, they may agree
// now.
func (v *check) lookAtOnce(ctx context.Context, u string, a *verifiedAuthor, ranges []int) error {
	place := map[string]string{} // of followers; "": none
	var truth []string
	for _, n := range ranges {
		followers, err := v.followersIn(ctx, u, a, n)
		if err != nil {
			return err
		}
		truth = append(truth, followers...)
	}
	for _, f := range truth {
		place[f] = ""
	}
	err := v.eachIndexDocument(ctx, u, func(ref *firestore.DocumentRef, index schema.IndexDocument, err error) error {
		if err != nil {
			return nil // reported before
		}
		var strangers []string
		for _, f := range index.Followers {
			other, follows := place[f]
			switch {
			case follows:
				if other != "" && other != ref.ID {
					v.violation(Violation{Invariant: 1, Document: ref.Path, Author: u, Follower: f, Index: ref.ID}, "follower %q is also in index document %q", f, other)
				}
				place[f] = ref.ID
			case in(ranges, a.rangeOf(f)):
				strangers = append(strangers, f)
			}
		}
		return v.checkStrangers(ctx, u, ref, strangers)
	})
	if err != nil {
		return err
	}
	for _, f := range truth {
		if place[f] == "" {
			v.violation(Violation{Invariant: 1, Document: v.db.Follower(u, f).Path, Author: u, Follower: f}, "follower is in no index document")
		}
	}
	return v.checkEdgesOf(ctx, u, truth, place)
}

func in(ranges []int, n int) bool {
	_, found := slices.BinarySearch(ranges, n)
	return found
}

// followersIn returns the users in a range who follow.
func (v *check) followersIn(ctx context.Context, u string, a *verifiedAuthor, n int) (followers []string, err error) {
	q := v.db.User(u).Collection(v.db.Config.Collections().Followers).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	if n > 0 {
		q = q.StartAt(a.ranges[n].from)
	}
	if n+1 < len(a.ranges) {
		q = q.EndBefore(a.ranges[n+1].from)
	}
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return nil, err
		}
		if f := doc.Ref.ID; schema.CheckFollow(u, f) == nil {
			followers = append(followers, strings.Clone(f)) // a copy, which does not keep the path in memory
		}
	}
	return followers, nil
}

// checkStrangers reports users whom an index document holds, but who do not follow.
func (v *check) checkStrangers(ctx context.Context, u string, ref *firestore.DocumentRef, strangers []string) error {
	slices.Sort(strangers)
	strangers = slices.Compact(strangers)
	for _, f := range strangers {
		v.violation(Violation{Invariant: 1, Document: ref.Path, Author: u, Follower: f, Index: ref.ID}, "holds %q, who does not follow", f)
	}
	if v.only == "" {
		return nil // checkLooseEdges finds their edges
	}
	return v.checkNoEdges(ctx, u, slices.DeleteFunc(strangers, func(f string) bool { return schema.CheckID(f) != nil }))
}
