package relations

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

// checkMirrorsOf checks that each follower of u has a mirror that names the
// index document that holds them.
func (v *verifier) checkMirrorsOf(ctx context.Context, u string, followers []string, place map[string]string) error {
	for part := range slices.Chunk(followers, 300) {
		refs := make([]*firestore.DocumentRef, len(part))
		for n, f := range part {
			refs[n] = v.mirror(u, f)
		}
		snaps, err := v.client.GetAll(ctx, refs)
		if err != nil {
			return err
		}
		for n, snap := range snaps {
			at := Violation{Invariant: 1, Document: snap.Ref.Path, Author: u, Follower: part[n]}
			if !snap.Exists() {
				v.violation(at, "mirror is missing")
				continue
			}
			v.mu.Lock()
			v.matched++
			v.mu.Unlock()
			var mirror Mirror
			switch err := snap.DataTo(&mirror); {
			case err != nil:
				v.violation(at, "not a mirror: %v", err)
			case len(mirror.Left) > 0:
				v.violation(at, "mirror is not settled: it has left %q", mirror.Left)
			case mirror.IndexID != place[part[n]]:
				v.violation(at, "mirror names index document %q, the follower is in %q", mirror.IndexID, place[part[n]])
			}
		}
	}
	return nil
}

// checkNoMirrors checks that nobody of strangers, who do not follow u, has a mirror.
func (v *verifier) checkNoMirrors(ctx context.Context, u string, strangers []string) error {
	for part := range slices.Chunk(strangers, 300) {
		refs := make([]*firestore.DocumentRef, len(part))
		for n, f := range part {
			refs[n] = v.mirror(u, f)
		}
		snaps, err := v.client.GetAll(ctx, refs)
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

// strayMirror reports a mirror that belongs to no follow.
func (v *verifier) strayMirror(mirror *firestore.DocumentRef) {
	v.violation(Violation{
		Invariant: 1, Document: mirror.Path, Author: mirror.ID, Follower: mirror.Parent.Parent.ID,
	}, "mirror of a follow that is not there")
}

// checkMirrors finds the mirrors that belong to no follow. checkFollowers has
// counted those that do: only if there are more are they looked at.
func (v *verifier) checkMirrors(ctx context.Context) error {
	q := v.client.CollectionGroup(Following).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	ours := v.below(Following)
	var mirrors int
	for doc, err := range documents(ctx, q) {
		if err != nil {
			return err
		}
		if _, ok := ours(doc); ok {
			mirrors++
		}
	}
	v.seen(&v.count.Mirrors, mirrors)
	if int64(mirrors) == v.matched {
		return nil
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	check := func(mirrors []*firestore.DocumentSnapshot) {
		group.Go(func() error {
			refs := make([]*firestore.DocumentRef, len(mirrors))
			for n, m := range mirrors {
				refs[n] = v.follower(m.Ref.ID, m.Ref.Parent.Parent.ID)
			}
			snaps, err := v.client.GetAll(groupCtx, refs)
			for n, snap := range snaps {
				m := mirrors[n].Ref
				if !snap.Exists() || checkFollow(m.ID, m.Parent.Parent.ID) != nil {
					v.strayMirror(m)
				}
			}
			return err
		})
	}
	var part []*firestore.DocumentSnapshot
	for doc, err := range documents(ctx, q) {
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		if _, ok := ours(doc); ok {
			part = append(part, doc)
		}
		if len(part) == 300 {
			check(part)
			part = nil
		}
	}
	if len(part) > 0 {
		check(part)
	}
	return group.Wait()
}
