package relations

import (
	"context"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

// checkRelations is invariant 3: first for authors who have relations, then
// for those with index documents who have none.
func (v *verifier) checkRelations(ctx context.Context) error {
	seen := map[string]bool{}
	author := func(doc *firestore.DocumentSnapshot) (string, bool) {
		u, _ := doc.Data()[fieldUserID].(string)
		seen[u] = true
		return u, true
	}
	q := v.relations().OrderBy(fieldUserID, firestore.Asc)
	if err := grouped(ctx, q, author, v.checkRelationsOf); err != nil {
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
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	for u := range posting {
		if !seen[u] && v.indexes[u] > 0 {
			group.Go(func() error { return v.checkRelationsOf(ctx, u, nil) })
		}
	}
	return group.Wait()
}

// checkRelationsOf compares u's relations with u's posts and index documents.
func (v *verifier) checkRelationsOf(ctx context.Context, u string, docs []*firestore.DocumentSnapshot) error {
	v.seen(&v.count.Relations, len(docs))
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
	for _, doc := range docs {
		delete(missing, doc.Ref.ID)
		v.checkRelation(doc, posts, indexes)
	}
	for id, of := range missing {
		v.violation(3, v.relations().Doc(id).Path, "relation of post %s and index document %s is missing", of[0], of[1])
	}
	return nil
}

func (v *verifier) checkRelation(doc *firestore.DocumentSnapshot, posts map[string]postState, indexes map[string]indexSummary) {
	var r Relation
	if err := doc.DataTo(&r); err != nil {
		v.violation(3, doc.Ref.Path, "not a relation: %v", err)
		return
	}
	post, ok := posts[r.PostID]
	if !ok {
		v.violation(3, doc.Ref.Path, "post %q is gone or not by %q", r.PostID, r.UserID)
		return
	}
	index, ok := indexes[r.IndexID]
	if !ok {
		v.violation(3, doc.Ref.Path, "%q has no index document %q", r.UserID, r.IndexID)
		return
	}
	if doc.Ref.ID != relationID(r.PostID, r.IndexID) {
		v.violation(3, doc.Ref.Path, "has the post and index document of %s", relationID(r.PostID, r.IndexID))
	}
	if r.IndexVersion != index.version {
		v.violation(3, doc.Ref.Path, "indexVersion is %d, the index document's version is %d", r.IndexVersion, index.version)
	}
	if digestOf(r.Followers) != index.followers {
		v.violation(3, doc.Ref.Path, "its %d followers are not the index document's %d", len(r.Followers), index.followers.n)
	}
	fields := doc.Data()
	for name := range reservedFields {
		if name != fieldCreatedAt {
			delete(fields, name)
		}
	}
	if !sameFields(fields, post.fields) {
		v.violation(3, doc.Ref.Path, "its copied fields are not the post's")
	}
}
