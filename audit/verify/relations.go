package verify

import (
	"context"
	"iter"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// relationsInPart is how many relations, without their followers, grouped passes at once.
const relationsInPart = 32

// checkRelations checks invariant 3: first for authors who have relations, then for
// authors with posts and index documents, but no relations.
func (v *check) checkRelations(ctx context.Context) error {
	seen := map[string]bool{}
	read := func(doc *firestore.DocumentSnapshot) (string, relationCopy, bool) {
		r := v.copyOf(doc)
		seen[r.UserID] = true
		return r.UserID, r, true
	}
	q := v.db.Relations().OrderBy(schema.FieldUserID, firestore.Asc)
	if v.only != "" {
		q = v.db.Relations().Where(schema.FieldUserID, "==", v.only)
	}
	if err := grouped(ctx, q, relationsInPart, read, v.checkRelationsOf); err != nil {
		return err
	}
	if v.only != "" {
		if seen[v.only] {
			return nil
		}
		return v.checkRelationsOf(ctx, v.only, one[relationCopy]())
	}
	posting := map[string]bool{}
	for doc, err := range store.Documents(ctx, v.db.Client.Collection(v.db.Options.Collections.Posts).Select(schema.FieldUserID)) {
		if err != nil {
			return err
		}
		posting[schema.TextOf(doc, schema.FieldUserID)] = true
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	for u := range posting {
		if !seen[u] && len(v.indexes[u]) > 0 {
			group.Go(func() error { return v.checkRelationsOf(groupCtx, u, one[relationCopy]()) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return v.checkRelationsOfNobody(ctx)
}

// checkRelationsOfNobody finds relations without a userId, which a query ordered by
// userId skips. It reads them only if there are more relations than were seen.
func (v *check) checkRelationsOfNobody(ctx context.Context) error {
	const name = "n"
	result, err := v.db.Relations().NewAggregationQuery().WithCount(name).Get(ctx)
	if err != nil {
		return err
	}
	if n, ok := result[name].(*pb.Value); !ok || n.GetIntegerValue() <= v.count.Relations {
		return nil
	}
	for doc, err := range store.Documents(ctx, v.db.Relations().OrderBy(firestore.DocumentID, firestore.Asc).Select(schema.FieldUserID)) {
		if err != nil {
			return err
		}
		if _, err := doc.DataAt(schema.FieldUserID); err == nil {
			continue
		}
		if err := v.checkRelationsOf(ctx, "", one(v.copyOf(doc))); err != nil {
			return err
		}
	}
	return nil
}

// checkRelationsOf compares u's relations with u's posts and index documents.
func (v *check) checkRelationsOf(ctx context.Context, u string, parts iter.Seq2[[]relationCopy, error]) error {
	posts, err := v.postsOf(ctx, u)
	if err != nil {
		return err
	}
	for part, err := range parts {
		if err != nil {
			return err
		}
		v.seen(&v.count.Relations, len(part))
		for _, r := range part {
			at := Violation{Invariant: 3, Document: r.ref.Path, Author: u}
			at.Post, at.Index = posts.take(r)
			if err := v.checkRelation(ctx, at, r, posts); err != nil {
				return err
			}
		}
	}
	posts.missing(func(p, i string) {
		at := Violation{Invariant: 3, Document: v.db.Relation(p, i).Path, Author: u, Post: p, Index: i}
		v.violation(at, "relation of post %s and index document %s is missing", p, i)
	})
	return nil
}

func (v *check) checkRelation(ctx context.Context, at Violation, r relationCopy, posts *authorPosts) error {
	if r.err != nil {
		v.violation(at, "not a relation: %v", r.err)
		return nil
	}
	if !posts.has(r.PostID) {
		v.violation(at, "post %q does not exist or is not by %q", r.PostID, r.UserID)
		return nil
	}
	index, ok := posts.indexes[r.IndexID]
	if !ok {
		v.violation(at, "%q has no index document %q", r.UserID, r.IndexID)
		return nil
	}
	if r.ref.ID != schema.RelationID(r.PostID, r.IndexID) {
		v.violation(at, "has the post and index document of %s", schema.RelationID(r.PostID, r.IndexID))
	}
	if r.IndexVersion != index.version {
		v.violation(at, "indexVersion is %d, but the index document's version is %d", r.IndexVersion, index.version)
	}
	if r.SizeBytes != index.sizeBytes {
		v.violation(at, "sizeBytes is %d, but the index document's followers have %d", r.SizeBytes, index.sizeBytes)
	}
	if r.followers != index.followers {
		v.violation(at, "its %d followers differ from the index document's %d", r.followers.n, index.followers.n)
	}
	fields, err := posts.fields(ctx, r.PostID)
	if err != nil {
		return err
	}
	if !schema.SameFields(r.fields, fields) {
		v.violation(at, "its copied fields differ from the post's")
	}
	return nil
}

// relationCopy is what verify checks a relation by. A digest replaces its followers, so
// that several fit in memory.
type relationCopy struct {
	schema.Relation
	ref       *firestore.DocumentRef
	followers setDigest
	fields    map[string]any // copied from the post
	err       error          // not nil: the document is no relation
}

// copyOf reads a relation. If the document is not one, it reads the author if it can.
func (v *check) copyOf(doc *firestore.DocumentSnapshot) relationCopy {
	r := relationCopy{ref: doc.Ref}
	r.err = doc.DataTo(&r.Relation)
	if r.err == nil {
		r.fields, r.err = schema.AllFields(doc)
	}
	r.UserID = schema.TextOf(doc, schema.FieldUserID)
	if r.err != nil {
		r.Followers = nil
		return r
	}
	r.followers = v.hash.places(r.IndexID, r.Followers)
	r.Followers = nil
	for _, name := range names.RelationFields() {
		if name != schema.FieldCreatedAt {
			delete(r.fields, name)
		}
	}
	return r
}
