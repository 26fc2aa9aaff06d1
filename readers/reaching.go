package readers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Reaching returns the newest posts that reach a reader, newest first, without their fields, at most
// most. A post reaches a reader if it was made after the follow, if it is among the newest backfill
// of its audience, or if it names the reader; not if the reader hides its kind. Blocks do not count.
//
// It costs a read for each of these posts, and for each 30 of those followed up to as many again, at
// least maxApart, one for each follow, one for each query that finds nothing, and one. Older posts are
// left out after so many in a row that do not come: hidden ones, and those from before the follows. It
// holds a follow for each of those followed, and as many posts, with a page more.
func Reaching(ctx context.Context, db *schema.Database, reader string, most, backfill int) ([]posts.Post, error) {
	docs, err := db.Client.GetAll(Only(ctx), []*firestore.DocumentRef{db.Decided(reader)})
	if err != nil {
		return nil, err
	}
	n := newest{db: db, reader: reader, most: most, backfill: backfill, since: map[string]time.Time{}, settings: Decode(docs[0])}
	var people, groups []string
	for snap, err := range store.Documents(ctx, db.User(reader).Collection(names.Following).OrderBy(firestore.DocumentID, firestore.Asc).Select(schema.FieldIndexID, schema.FieldCreatedAt)) {
		if err != nil {
			return nil, err
		}
		if id := snap.Ref.ID; schema.CheckFollow(id, reader) != nil || schema.TextOf(snap, schema.FieldIndexID) == "" {
			continue
		} else if n.since[id] = FollowedAt(snap); schema.IsGroup(id) || db.Options.PostsFilled {
			groups = append(groups, id)
		} else {
			people = append(people, id) // their posts need not have the field audience
		}
	}
	all := db.Client.Collection(db.Options.Collections.Posts)
	queries := []firestore.Query{all.Where(schema.FieldTo, "array-contains", reader)}
	if own, err := hasOwnPosts(ctx, db, reader); err != nil {
		return nil, err
	} else if own {
		queries = append(queries, all.Where(schema.FieldUserID, "==", reader))
	}
	for ids := range slices.Chunk(groups, maxIn) {
		queries = append(queries, all.Where(schema.FieldAudience, "in", ids))
	}
	for ids := range slices.Chunk(people, maxIn) {
		queries = append(queries, all.Where(schema.FieldUserID, "in", ids))
	}
	for _, q := range queries {
		if err := n.add(ctx, q); err != nil {
			return nil, err
		}
	}
	n.cut()
	return n.found, nil
}

// hasOwnPosts reports whether a reader gets their own posts: not where a deleted account's are kept, and
// it is not back. Only where posts are kept, it costs a read, and one for each tombstone key.
func hasOwnPosts(ctx context.Context, db *schema.Database, reader string) (bool, error) {
	if !db.Options.OwnPosts || !db.Options.KeepPosts {
		return db.Options.OwnPosts, nil
	}
	refs := []*firestore.DocumentRef{db.User(reader)}
	for _, id := range db.TombstoneIDs(reader) {
		refs = append(refs, db.Tombstone(id))
	}
	docs, err := db.Client.GetAll(ctx, refs)
	if err != nil {
		return false, err
	}
	return schema.HasProfile(docs[0]) || !slices.ContainsFunc(docs[1:], (*firestore.DocumentSnapshot).Exists), nil
}

// FollowedAt returns when a follow was made, by its edge with the field createdAt. The edge is written
// again when the follower moves to another index document.
func FollowedAt(edge *firestore.DocumentSnapshot) time.Time {
	if at, ok := schema.FieldsOf(edge, schema.FieldCreatedAt)[schema.FieldCreatedAt].(time.Time); ok && at.Before(edge.UpdateTime) {
		return at
	}
	return edge.UpdateTime
}

const (
	maxPage  = 1000 // posts that are read at once
	maxApart = 1000 // posts that are read for one that comes, or as many as are wanted
)

// maxIn is how many values an in filter may have:
// https://firebase.google.com/docs/firestore/query-data/queries
const maxIn = 30

// newest collects the newest posts that reach a reader.
type newest struct {
	db             *schema.Database
	reader         string
	most, backfill int
	since          map[string]time.Time // of the follows, by audience
	settings       Settings
	found          []posts.Post
	from           time.Time // older ones are too many
}

// add adds what a query finds.
func (n *newest) add(ctx context.Context, q firestore.Query) error {
	q = q.OrderBy(schema.FieldCreatedAt, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).
		Where(schema.FieldCreatedAt, ">=", n.from).Where(schema.FieldCreatedAt, "<=", posts.Latest).
		Select(append(names.PostFields(), names.FieldKind)...)
	rank := map[string]int{} // of the last post, among those of its audience
	page := min(n.most, maxPage)
	for kept, apart := 0, 0; ; {
		docs, err := q.Limit(page).Documents(ctx).GetAll()
		if err != nil {
			return err
		}
		for _, doc := range docs {
			apart++
			post, err := posts.Decode(n.db.Options, doc)
			if err != nil {
				continue
			}
			since, follows := n.since[post.Audience]
			rank[post.Audience]++
			reaches := slices.Contains(post.Recipients, n.reader) ||
				follows && (post.Created.After(since) || rank[post.Audience] <= n.backfill)
			if reaches && !n.settings.Hides(post.Author, post.Kind) {
				n.found = append(n.found, post.Bare())
				kept, apart = kept+1, 0
			}
		}
		if n.cut(); len(docs) < page || kept >= n.most || apart >= max(n.most, maxApart) {
			return nil
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
}

// cut leaves the newest posts, each once.
func (n *newest) cut() {
	slices.SortFunc(n.found, func(a, b posts.Post) int {
		return cmp.Or(b.CreatedAt().Compare(a.CreatedAt()), cmp.Compare(b.ID, a.ID))
	})
	n.found = slices.CompactFunc(n.found, func(a, b posts.Post) bool { return a.ID == b.ID })
	if len(n.found) >= n.most {
		n.found = n.found[:n.most]
		n.from = n.found[n.most-1].CreatedAt()
	}
}
