package relations

import (
	"context"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"golang.org/x/sync/errgroup"
)

// checkRelations is invariant 3: first for authors who have relations, then
// for those with index documents who have none.
func (v *verifier) checkRelations(ctx context.Context) error {
	seen := map[string]bool{}
	read := func(doc *firestore.DocumentSnapshot) (string, relationCopy, bool) {
		u, _ := doc.Data()[fieldUserID].(string)
		seen[u] = true
		return u, copyOf(doc), true
	}
	q := v.relations().OrderBy(fieldUserID, firestore.Asc)
	if err := grouped(ctx, q, read, v.checkRelationsOf); err != nil {
		return err
	}
	posting := map[string]bool{}
	for doc, err := range documents(ctx, v.client.Collection(v.opts.Collections.Posts).Select(fieldUserID)) {
		if err != nil {
			return err
		}
		u, _ := doc.Data()[fieldUserID].(string)
		posting[u] = true
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	for u := range posting {
		if !seen[u] && v.indexes[u] > 0 {
			group.Go(func() error { return v.checkRelationsOf(groupCtx, u, nil) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return v.checkRelationsOfNobody(ctx)
}

// checkRelationsOfNobody finds relations without a userId, which an order by
// it passes over: only if there are more relations than have been seen.
func (v *verifier) checkRelationsOfNobody(ctx context.Context) error {
	const name = "n"
	result, err := v.relations().NewAggregationQuery().WithCount(name).Get(ctx)
	if err != nil {
		return err
	}
	if n, ok := result[name].(*pb.Value); !ok || n.GetIntegerValue() <= v.count.Relations {
		return nil
	}
	for doc, err := range documents(ctx, v.relations().OrderBy(firestore.DocumentID, firestore.Asc).Select(fieldUserID)) {
		if err != nil {
			return err
		}
		if _, ok := doc.Data()[fieldUserID]; ok {
			continue
		}
		if err := v.checkRelationsOf(ctx, "", []relationCopy{copyOf(doc)}); err != nil {
			return err
		}
	}
	return nil
}

// checkRelationsOf compares u's relations with u's posts and index documents.
func (v *verifier) checkRelationsOf(ctx context.Context, u string, copies []relationCopy) error {
	v.seen(&v.count.Relations, len(copies))
	posts := map[string]postState{}
	if checkAuthorID(u) == nil {
		fields := append([]string{fieldUserID, fieldCreatedAt}, v.opts.CopiedFields...)
		q := v.client.Collection(v.opts.Collections.Posts).Where(fieldUserID, "==", u).Select(fields...)
		snaps, err := q.Documents(ctx).GetAll()
		if err != nil {
			return err
		}
		v.seen(&v.count.Posts, len(snaps))
		for _, snap := range snaps {
			if state, err := v.readPost(snap); err == nil {
				posts[state.id] = state
			}
		}
	}
	v.mu.Lock()
	indexes := v.authors[u]
	v.mu.Unlock()
	missing := map[string][2]string{} // relation id → post, index
	for p := range posts {
		for i := range indexes {
			missing[relationID(p, i)] = [2]string{p, i}
		}
	}
	for _, r := range copies {
		of := missing[r.ref.ID] // zero: there should be none of this name
		delete(missing, r.ref.ID)
		at := Violation{Invariant: 3, Document: r.ref.Path, Author: u, Post: of[0], Index: of[1]}
		v.checkRelation(at, r, posts, indexes)
	}
	for id, of := range missing {
		at := Violation{Invariant: 3, Document: v.relations().Doc(id).Path, Author: u, Post: of[0], Index: of[1]}
		v.violation(at, "relation of post %s and index document %s is missing", of[0], of[1])
	}
	return nil
}

func (v *verifier) checkRelation(at Violation, r relationCopy, posts map[string]postState, indexes map[string]indexSummary) {
	if r.err != nil {
		v.violation(at, "not a relation: %v", r.err)
		return
	}
	post, ok := posts[r.PostID]
	if !ok {
		v.violation(at, "post %q is gone or not by %q", r.PostID, r.UserID)
		return
	}
	index, ok := indexes[r.IndexID]
	if !ok {
		v.violation(at, "%q has no index document %q", r.UserID, r.IndexID)
		return
	}
	if r.ref.ID != relationID(r.PostID, r.IndexID) {
		v.violation(at, "has the post and index document of %s", relationID(r.PostID, r.IndexID))
	}
	if r.IndexVersion != index.version {
		v.violation(at, "indexVersion is %d, the index document's version is %d", r.IndexVersion, index.version)
	}
	if r.SizeBytes != index.sizeBytes {
		v.violation(at, "sizeBytes is %d, the index document's followers have %d", r.SizeBytes, index.sizeBytes)
	}
	if r.followers != index.followers {
		v.violation(at, "its %d followers are not the index document's %d", r.followers.n, index.followers.n)
	}
	if !sameFields(r.fields, post.fields) {
		v.violation(at, "its copied fields are not the post's")
	}
}

// relationCopy is what a relation is checked by: it, with a digest in place of
// its followers, so that an author's can be held in memory together.
type relationCopy struct {
	Relation
	ref       *firestore.DocumentRef
	followers setDigest
	fields    map[string]any // the copied ones
	err       error          // not nil: it is no relation
}

func copyOf(doc *firestore.DocumentSnapshot) relationCopy {
	r := relationCopy{ref: doc.Ref}
	if r.err = doc.DataTo(&r.Relation); r.err != nil {
		return r
	}
	r.followers = digestOf(r.Followers)
	r.Followers = nil
	r.fields = doc.Data()
	for name := range reservedFields {
		if name != fieldCreatedAt {
			delete(r.fields, name)
		}
	}
	return r
}
