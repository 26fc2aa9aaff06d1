package verify

import (
	"context"
	"iter"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/schema"
)

// followersInPart is how many followers grouped passes at once, and how many edges are
// read by name at once.
const followersInPart = 300

// checkFollowers checks invariants 1 and 2. It reads follower documents, index documents
// and edges once, in this order, and keeps digests of them by ranges of follower ids.
// It compares one by one only followers in ranges whose digests differ.
func (v *check) checkFollowers(ctx context.Context) error {
	if err := v.nameIndexes(ctx); err != nil {
		return err
	}
	followers := v.db.Client.CollectionGroup(v.db.Config.Collections().Followers).Query
	if v.only != "" {
		followers = v.db.User(v.only).Collection(v.db.Config.Collections().Followers).Query
	}
	author := v.below(v.db.Config.Collections().Followers)
	err := grouped(ctx, followers.OrderBy(firestore.DocumentID, firestore.Asc).Select(), followersInPart, func(doc *firestore.DocumentSnapshot) (string, string, bool) {
		u, ours := author(doc)
		if ours {
			v.nameStrange(u, doc.Ref)
		}
		return u, doc.Ref.ID, ours
	}, v.digestAuthor)
	if err != nil {
		return err
	}
	if err := v.digestOthers(ctx); err != nil {
		return err
	}
	if v.only == "" {
		if err := v.digestEdges(ctx); err != nil {
			return err
		}
	}
	return v.checkRanges(ctx)
}

// digestOthers digests the authors who have index documents but no followers.
func (v *check) digestOthers(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	digest := func(u string) {
		if _, done := v.author(u); !done {
			group.Go(func() error { return v.digestAuthor(ctx, u, one[string]()) })
		}
	}
	if v.only != "" {
		digest(v.only)
		return group.Wait()
	}
	for u := range v.indexes {
		digest(u)
	}
	return group.Wait()
}

// below returns a function that finds the user above a document of this subcollection.
// The function returns false for collections of the same name that are elsewhere.
func (v *check) below(collection string) func(*firestore.DocumentSnapshot) (string, bool) {
	return func(doc *firestore.DocumentSnapshot) (string, bool) {
		user := doc.Ref.Parent.Parent
		ours := doc.Ref.Parent.ID == collection && user != nil &&
			user.Parent.ID == v.db.Config.Collections().Users && user.Parent.Parent == nil
		if !ours {
			return "", false
		}
		return user.ID, true
	}
}

// nameStrange names the author of a follow or a block if the author's id is strange. Otherwise it names the document if
// it is no follow or block, because its id is strange or is the author's own.
func (v *check) nameStrange(u string, doc *firestore.DocumentRef) {
	if !v.strange.Add(v.db.User(u), schema.CheckAccountID(u)) {
		v.strange.Add(doc, schema.CheckFollow(u, doc.ID))
	}
}

// digestAuthor keeps digests of u's followers and index documents. For one author alone,
// it digests the followers' edges too.
func (v *check) digestAuthor(ctx context.Context, u string, parts iter.Seq2[[]string, error]) error {
	a := &verifiedAuthor{indexes: map[string]indexSummary{}}
	for followers, err := range parts {
		if err != nil {
			return err
		}
		v.seen(&v.count.Followers, len(followers))
		followers = slices.DeleteFunc(followers, func(f string) bool { return schema.CheckFollow(u, f) != nil })
		for _, f := range followers {
			a.follow(f, rangeSize(v.db.Config), v.hash)
		}
		if v.only == "" {
			continue
		}
		edges, err := v.edgesOf(ctx, u, followers)
		if err != nil {
			return err
		}
		for n, edge := range edges {
			if edge.Exists() {
				v.seen(&v.count.Edges, 1)
				v.digestEdge(a, followers[n], edge)
			}
		}
	}
	if err := v.checkIndexes(ctx, u, a); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.authors[u] = a
	return nil
}

func (v *check) author(u string) (*verifiedAuthor, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, ok := v.authors[u]
	return a, ok
}
