package load

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// adoptedIndex is an index document that may be ahead of its relations.
type adoptedIndex struct {
	*adoption
	id   string
	meta schema.IndexDocument // as read by unmarked
}

// syncAdopted updates the relations of every index document that place changed, and
// settles edges, as Follow does after its members transaction.
//
// Most authors of an import have no posts. So one query looks for posts of many
// authors; a query for each author would be most of the work. It runs after place, so
// that the fan-out of a later post reads the new index documents.
func (x *Loader) syncAdopted(ctx context.Context, adoptions []*adoption, o Options) error {
	authors := make([]string, len(adoptions))
	for n, a := range adoptions {
		authors[n] = a.Author
	}
	var posted map[string]bool
	err := o.Again(ctx, func() (err error) {
		posted, err = x.havePosts(ctx, authors)
		return err
	})
	if err != nil {
		return fmt.Errorf("find posts of %d authors: %w", len(authors), err)
	}
	var withPosts, without, unmarked []adoptedIndex
	for _, a := range adoptions {
		for _, i := range slices.Sorted(maps.Keys(a.indexes)) {
			if posted[a.Author] {
				withPosts = append(withPosts, adoptedIndex{adoption: a, id: i})
			} else {
				without = append(without, adoptedIndex{adoption: a, id: i})
			}
		}
	}
	if err := atOnce(ctx, o, withPosts, func(ctx context.Context, i adoptedIndex) error { return i.sync(ctx) }); err != nil {
		return err
	}
	if err := o.Again(ctx, func() (err error) {
		unmarked, err = x.unmarked(ctx, without)
		return err
	}); err != nil {
		return err
	}
	if err := atOnce(ctx, o, unmarked, func(ctx context.Context, i adoptedIndex) error { return i.mark(ctx) }); err != nil {
		return err
	}
	return atOnce(ctx, o, adoptions, func(ctx context.Context, a *adoption) error { return a.settleAll(ctx) })
}

// settleAll settles the edges of followers who have left index documents.
func (a *adoption) settleAll(ctx context.Context) error {
	for _, f := range a.left {
		if err := a.graph.Settle(ctx, a.db.Edge(a.Author, f.id), f.Membership); err != nil {
			return fmt.Errorf("settle edge of %s: %w", a.db.Follower(a.Author, f.id).Path, err)
		}
	}
	return nil
}

// havePosts returns the authors who have posts: people who wrote one, and groups that are the audience of one.
func (x *Loader) havePosts(ctx context.Context, authors []string) (map[string]bool, error) {
	posts := x.db.Client.Collection(x.db.Config.Collections().Posts).Select(schema.FieldUserID, schema.FieldAudience)
	have := map[string]bool{}
	note := func(q firestore.Query, limit int) (all bool, err error) {
		docs, err := q.Limit(limit).Documents(ctx).GetAll()
		for _, doc := range docs {
			for _, field := range []string{schema.FieldUserID, schema.FieldAudience} {
				if u := schema.TextOf(doc, field); u != "" {
					have[u] = true
				}
			}
		}
		return len(docs) < limit, err
	}
	// If there are few posts, one query is enough.
	if all, err := note(posts, len(authors)+1); all || err != nil {
		return have, err
	}
	byField := map[string][]string{schema.FieldUserID: authors}
	for _, u := range authors {
		if schema.IsGroup(u) {
			byField[schema.FieldAudience] = append(byField[schema.FieldAudience], u)
		}
	}
	for field, authors := range byField {
		for _, part := range store.Chunks(authors, store.MaxIn) {
			for len(part) > 0 {
				all, err := note(posts.Where(field, "in", part), 10*store.MaxIn)
				if err != nil {
					return nil, err
				}
				if all {
					break
				}
				// The found authors, at least one, may hide the others.
				part = slices.DeleteFunc(slices.Clone(part), func(u string) bool { return have[u] })
			}
		}
	}
	return have, nil
}

// sync is Follow's, but also does the work that would become a job: there may be no
// functions to run a job.
func (i adoptedIndex) sync(ctx context.Context) error {
	rest := func(ctx context.Context, u, id string, _ schema.IndexDocument) error {
		return i.relations.CatchUp(ctx, u, id)
	}
	if err := i.relations.SyncOr(ctx, nil, i.Author, i.id, rest); err != nil {
		return fmt.Errorf("sync %s/%s: %w", i.Author, i.id, err)
	}
	return nil
}

// unmarked returns the indexes that are not marked as backfilled, or whose change log
// must be emptied.
func (x *Loader) unmarked(ctx context.Context, indexes []adoptedIndex) ([]adoptedIndex, error) {
	var out []adoptedIndex
	for _, part := range store.Chunks(indexes, schema.MaxBatch) {
		refs := make([]*firestore.DocumentRef, len(part))
		for n, i := range part {
			refs[n] = x.db.IndexDocuments(i.Author).Doc(i.id)
		}
		docs, err := x.db.Client.GetAll(x.graph.WithoutFollowers(ctx), refs)
		if err != nil {
			return nil, fmt.Errorf("read %d index documents: %w", len(refs), err)
		}
		for n, doc := range docs {
			if !doc.Exists() {
				continue // the account is gone
			}
			if meta, err := schema.DecodeIndexDocument(doc); err != nil {
				return nil, err
			} else if !meta.Backfilled || meta.MentionsLeavers() {
				part[n].meta = meta
				out = append(out, part[n])
			}
		}
	}
	return out, nil
}

// mark marks an index document of an author without posts as backfilled. A crash before
// this leaves that to the next call, or to the event of the author's next follower.
func (i adoptedIndex) mark(ctx context.Context) error {
	if i.meta.MentionsLeavers() { // an unfollow died before its sync
		return i.sync(ctx)
	}
	if _, err := i.graph.MarkBackfilled(ctx, i.Author, i.id, i.meta); err != nil {
		return fmt.Errorf("mark %s/%s: %w", i.Author, i.id, err)
	}
	return nil
}
