package verify

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/runtime/names"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// digestMirrors digests all mirrors, each for the author that it names.
func (v *check) digestMirrors(ctx context.Context) error {
	q := v.db.Client.CollectionGroup(names.Following).OrderBy(firestore.DocumentID, firestore.Asc)
	ours := v.below(names.Following)
	uncounted := 0
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return err
		}
		f, ok := ours(doc)
		if !ok {
			continue
		}
		if uncounted++; uncounted == followersInPart {
			v.seen(&v.count.Mirrors, uncounted)
			uncounted = 0
		}
		if a, ok := v.authors[doc.Ref.ID]; ok {
			v.digestMirror(a, f, doc)
		} else {
			v.unknown = true
		}
	}
	v.seen(&v.count.Mirrors, uncounted)
	return nil
}

// digestMirror digests the mirror of one follower. A wrong mirror counts as one that
// names no index document. So its range is compared, whether an index document holds the
// follower or not.
func (v *check) digestMirror(a *verifiedAuthor, f string, doc *firestore.DocumentSnapshot) {
	r := a.in(f)
	r.mirrors.add(v.hash.place("", f))
	place := ""
	var mirror schema.Mirror
	if err := doc.DataTo(&mirror); err == nil && len(mirror.Left) == 0 && mirror.MovesTo == "" {
		place = mirror.IndexID
	}
	r.named.add(v.hash.place(place, f))
}

// mirrorsOf reads the mirrors of some followers of u, including missing ones.
func (v *check) mirrorsOf(ctx context.Context, u string, followers []string) ([]*firestore.DocumentSnapshot, error) {
	if len(followers) == 0 {
		return nil, nil
	}
	refs := make([]*firestore.DocumentRef, len(followers))
	for n, f := range followers {
		refs[n] = v.db.Mirror(u, f)
	}
	return store.ReadAll(ctx, v.db.Client, refs)
}

// checkMirrorsOf checks that each follower of u has a mirror that names the index
// document that holds the follower.
func (v *check) checkMirrorsOf(ctx context.Context, u string, followers []string, place map[string]string) error {
	for part := range slices.Chunk(followers, followersInPart) {
		snaps, err := v.mirrorsOf(ctx, u, part)
		if err != nil {
			return err
		}
		for n, snap := range snaps {
			at := Violation{Invariant: 1, Document: snap.Ref.Path, Author: u, Follower: part[n]}
			if !snap.Exists() {
				v.violation(at, "mirror is missing")
				continue
			}
			var mirror schema.Mirror
			switch err := snap.DataTo(&mirror); {
			case err != nil:
				v.violation(at, "not a mirror: %v", err)
			case len(mirror.Left) > 0:
				v.violation(at, "mirror is not settled: it has left %q", mirror.Left)
			case mirror.MovesTo != "":
				v.violation(at, "mirror is not settled: it moves to %q", mirror.MovesTo)
			case mirror.IndexID != place[part[n]]:
				v.violation(at, "mirror names index document %q, the follower is in %q", mirror.IndexID, place[part[n]])
			}
		}
	}
	return nil
}

// checkNoMirrors checks that none of strangers, who do not follow u, has a mirror.
func (v *check) checkNoMirrors(ctx context.Context, u string, strangers []string) error {
	for part := range slices.Chunk(strangers, followersInPart) {
		snaps, err := v.mirrorsOf(ctx, u, part)
		if err != nil {
			return err
		}
		for _, snap := range snaps {
			if snap.Exists() {
				v.strayMirror(snap.Ref)
			}
		}
	}
	return nil
}

// strayMirror reports a mirror without a follow.
func (v *check) strayMirror(mirror *firestore.DocumentRef) {
	v.violation(Violation{
		Invariant: 1, Document: mirror.Path, Author: mirror.ID, Follower: mirror.Parent.Parent.ID,
	}, "mirror of a follow that is not there")
}

// checkLooseMirrors finds mirrors without a follow, in ranges whose digests differ, and
// of authors that nothing else leads to.
func (v *check) checkLooseMirrors(ctx context.Context) error {
	q := v.db.Client.CollectionGroup(names.Following).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	ours := v.below(names.Following)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	check := func(mirrors []*firestore.DocumentRef) {
		group.Go(func() error {
			refs := make([]*firestore.DocumentRef, len(mirrors))
			for n, m := range mirrors {
				refs[n] = v.db.Follower(m.ID, m.Parent.Parent.ID)
			}
			snaps, err := store.ReadAll(groupCtx, v.db.Client, refs)
			for n, snap := range snaps {
				m := mirrors[n]
				if !snap.Exists() || schema.CheckFollow(m.ID, m.Parent.Parent.ID) != nil {
					v.strayMirror(m)
				}
			}
			return err
		})
	}
	var part []*firestore.DocumentRef
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		f, ok := ours(doc)
		if !ok {
			continue
		}
		if a, known := v.authors[doc.Ref.ID]; known && (len(a.ranges) == 0 || a.in(f).sound()) {
			continue
		}
		if part = append(part, doc.Ref); len(part) == followersInPart {
			check(part)
			part = nil
		}
	}
	if len(part) > 0 {
		check(part)
	}
	return group.Wait()
}
