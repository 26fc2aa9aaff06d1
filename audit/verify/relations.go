package verify

import (
	"context"
	"iter"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// relationsInPart is how many relations, without their followers, grouped passes at once.
const relationsInPart = 32

// checkRelations checks invariant 3: first for audiences that have relations, then for
// direct relations, then for audiences with posts and index documents, but no relations.
// The relations that are left belong nowhere. If relations are off, nobody keeps it.
func (v *check) checkRelations(ctx context.Context) error {
	if !v.db.Config.Relations() {
		return nil
	}
	seen := map[string]bool{}
	read := func(doc *firestore.DocumentSnapshot) (string, relationCopy, bool) {
		r := v.copyOf(doc)
		seen[r.Audience] = true
		return r.Audience, r, true
	}
	q := v.db.Relations().Where(schema.FieldAudience, ">", "").OrderBy(schema.FieldAudience, firestore.Asc)
	if v.only != "" {
		q = v.db.Relations().Where(schema.FieldAudience, "==", v.only)
	}
	if err := grouped(ctx, q, relationsInPart, read, v.checkRelationsOf); err != nil {
		return err
	}
	audiences, err := v.checkDirect(ctx)
	if err != nil {
		return err
	}
	if v.only != "" {
		audiences = map[string]bool{v.only: true}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	for a := range audiences {
		if !seen[a] && (v.only != "" || len(v.indexes[a]) > 0) {
			group.Go(func() error { return v.checkRelationsOf(groupCtx, a, one[relationCopy]()) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return v.checkRest(ctx)
}

// checkRelationsOf compares the relations of audience a with its posts and index
// documents.
func (v *check) checkRelationsOf(ctx context.Context, a string, parts iter.Seq2[[]relationCopy, error]) error {
	posts, err := v.postsOf(ctx, a)
	if err != nil {
		return err
	}
	for part, err := range parts {
		if err != nil {
			return err
		}
		v.seen(&v.count.Relations, len(part))
		for _, r := range part {
			at := Violation{Invariant: 3, Document: r.ref.Path, Author: a}
			at.Post, at.Index = posts.take(r)
			if err := v.checkRelation(ctx, at, r, posts); err != nil {
				return err
			}
		}
	}
	for p, i := range posts.missing() {
		v.violation(Violation{Invariant: 3, Document: v.db.Relation(p, i).Path, Author: a, Post: p, Index: i, Missing: true},
			"relation of post %q and index document %q is missing", p, i)
	}
	return nil
}

func (v *check) checkRelation(ctx context.Context, at Violation, r relationCopy, posts *audiencePosts) error {
	if r.err != nil {
		v.violation(at, "not a relation: %v", r.err)
		return nil
	}
	post := posts.byName(r.PostID)
	if post == nil {
		v.violation(at, "post %q does not exist or is not for %q", r.PostID, r.Audience)
		return nil
	}
	index, ok := posts.indexes[r.IndexID]
	if !ok {
		v.violation(at, "%q has no index document %q", r.Audience, r.IndexID)
		return nil
	}
	if r.ref.ID != schema.RelationID(r.PostID, r.IndexID) {
		v.violation(at, "has the post and index document of %q", schema.RelationID(r.PostID, r.IndexID))
	}
	v.checkAuthor(at, r, post.author)
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
	v.checkFields(at, r, fields)
	v.checkExpiry(at, r, post.createdAt)
	return nil
}

func (v *check) checkAuthor(at Violation, r relationCopy, author string) {
	if r.UserID != author {
		v.violation(at, "is by %q, but its post is by %q", r.UserID, author)
	}
}

func (v *check) checkFields(at Violation, r relationCopy, fields map[string]any) {
	if !schema.SameFields(r.fields, fields) {
		v.violation(at, "its copied fields differ from the post's")
	}
}

// relationCopy holds the fields of a relation that verify checks. A digest replaces its followers, so that several fit
// in memory.
type relationCopy struct {
	schema.Relation
	ref       *firestore.DocumentRef
	followers setDigest
	fields    map[string]any // copied from the post
	marked    bool           // names an audience, or that it has none
	err       error          // not nil: the document is no relation
}

// copyOf reads a relation, with a digest for its followers.
func (v *check) copyOf(doc *firestore.DocumentSnapshot) relationCopy {
	r := relationOf(doc)
	r.followers = v.hash.places(r.IndexID, r.Followers)
	r.Followers = nil
	return r
}

// relationOf reads a relation. If the document is not one, it reads the author and the
// audience if it can.
func relationOf(doc *firestore.DocumentSnapshot) relationCopy {
	r := relationCopy{ref: doc.Ref}
	r.err = doc.DataTo(&r.Relation)
	if r.err == nil {
		r.fields, r.err = schema.AllFields(doc)
	}
	r.UserID, r.Audience = schema.TextOf(doc, schema.FieldUserID), schema.TextOf(doc, schema.FieldAudience)
	if r.err != nil {
		r.Followers = nil
		return r
	}
	_, r.marked = r.fields[schema.FieldAudience]
	for _, name := range names.RelationFields() {
		if name != schema.FieldCreatedAt {
			delete(r.fields, name)
		}
	}
	return r
}
