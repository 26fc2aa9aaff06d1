package verify

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// digestEdges digests all edges, each for the author that it names.
func (v *check) digestEdges(ctx context.Context) error {
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
			v.seen(&v.count.Edges, uncounted)
			uncounted = 0
		}
		if a, ok := v.authors[doc.Ref.ID]; ok {
			v.digestEdge(a, f, doc)
		} else {
			v.unknown = true
		}
	}
	v.seen(&v.count.Edges, uncounted)
	return nil
}

// digestEdge digests the edge of one follower. A wrong edge counts as one that
// names no index document. So its range is compared, whether an index document holds the
// follower or not.
func (v *check) digestEdge(a *verifiedAuthor, f string, doc *firestore.DocumentSnapshot) {
	r := a.in(f)
	r.edges.add(v.hash.place("", f))
	place := ""
	var edge schema.Edge
	if err := doc.DataTo(&edge); err == nil && len(edge.Left) == 0 && edge.MovesTo == "" {
		place = edge.IndexID
	}
	r.named.add(v.hash.place(place, f))
}

// edgesOf reads the edges of some followers of u, including missing ones.
func (v *check) edgesOf(ctx context.Context, u string, followers []string) ([]*firestore.DocumentSnapshot, error) {
	if len(followers) == 0 {
		return nil, nil
	}
	refs := make([]*firestore.DocumentRef, len(followers))
	for n, f := range followers {
		refs[n] = v.db.Edge(u, f)
	}
	return store.ReadAll(ctx, v.db.Client, refs)
}

// checkEdgesOf checks that each follower of u has an edge that names the index
// document that holds the follower.
func (v *check) checkEdgesOf(ctx context.Context, u string, followers []string, place map[string]string) error {
	for part := range slices.Chunk(followers, followersInPart) {
		snaps, err := v.edgesOf(ctx, u, part)
		if err != nil {
			return err
		}
		for n, snap := range snaps {
			at := Violation{Invariant: 1, Document: snap.Ref.Path, Author: u, Follower: part[n]}
			if !snap.Exists() {
				v.violation(at, "edge is missing")
				continue
			}
			var edge schema.Edge
			switch err := snap.DataTo(&edge); {
			case err != nil:
				v.violation(at, "not an edge: %v", err)
			case len(edge.Left) > 0:
				v.violation(at, "edge is not settled: the follower has left %q", edge.Left)
			case edge.MovesTo != "":
				v.violation(at, "edge is not settled: the follower moves to %q", edge.MovesTo)
			case edge.IndexID != place[part[n]]:
				v.violation(at, "edge names index document %s, but the follower is in %s", orNone(edge.IndexID), orNone(place[part[n]]))
			}
		}
	}
	return nil
}

// orNone is the id of an index document for a person.
func orNone(id string) string {
	if id == "" {
		return "none"
	}
	return strconv.Quote(id)
}

// checkNoEdges checks that none of strangers, who do not follow u, has an edge.
func (v *check) checkNoEdges(ctx context.Context, u string, strangers []string) error {
	for part := range slices.Chunk(strangers, followersInPart) {
		snaps, err := v.edgesOf(ctx, u, part)
		if err != nil {
			return err
		}
		for _, snap := range snaps {
			if snap.Exists() {
				v.strayEdge(snap.Ref)
			}
		}
	}
	return nil
}

// strayEdge reports an edge without a follow.
func (v *check) strayEdge(edge *firestore.DocumentRef) {
	v.violation(Violation{
		Invariant: 1, Document: edge.Path, Author: edge.ID, Follower: edge.Parent.Parent.ID,
	}, "edge of a follow that does not exist")
}

// checkLooseEdges finds edges without a follow, in ranges whose digests differ, and
// of authors that nothing else leads to.
func (v *check) checkLooseEdges(ctx context.Context) error {
	q := v.db.Client.CollectionGroup(names.Following).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	ours := v.below(names.Following)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	check := func(edges []*firestore.DocumentRef) {
		group.Go(func() error { return v.checkLoose(groupCtx, edges) })
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

// checkLoose reports edges without a follow.
func (v *check) checkLoose(ctx context.Context, edges []*firestore.DocumentRef) error {
	if len(edges) == 0 {
		return nil
	}
	refs := make([]*firestore.DocumentRef, len(edges))
	for n, m := range edges {
		refs[n] = v.db.Follower(m.ID, m.Parent.Parent.ID)
	}
	snaps, err := store.ReadAll(ctx, v.db.Client, refs)
	for n, snap := range snaps {
		m := edges[n]
		if !snap.Exists() || schema.CheckFollow(m.ID, m.Parent.Parent.ID) != nil {
			v.strayEdge(m)
		}
	}
	return err
}

// checkOwnEdges checks that each edge of the one account has a follow.
func (v *check) checkOwnEdges(ctx context.Context) error {
	var part []*firestore.DocumentRef
	q := v.db.User(v.only).Collection(names.Following).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return err
		}
		if part = append(part, doc.Ref); len(part) == followersInPart {
			if err := v.checkLoose(ctx, part); err != nil {
				return err
			}
			part = nil
		}
	}
	return v.checkLoose(ctx, part)
}
