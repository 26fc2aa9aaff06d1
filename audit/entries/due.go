package entries

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// duePost is a post that a timeline should have.
type duePost struct {
	id, author, kind string
	audience         string    // "": the post names the reader
	updated          time.Time // of its document
	createdAt        time.Time
	followed         time.Time // when the edge of audience was written
	since            time.Time // of the follow, by the edge
	must             bool      // it came to the reader, unless newer entries have pushed it out
	older            bool      // a backfill brings it
	sure             bool      // no fan-out has skipped it either
}

// dueOf copies the id, which is a part of the document's whole name.
func dueOf(p posts.Post, audience string) duePost {
	return duePost{
		id: strings.Clone(p.ID), author: p.Author, kind: p.Kind, audience: audience,
		updated: p.Updated, createdAt: p.CreatedAt(), must: audience == "",
	}
}

// post returns the post with the fields that decide whether a layout keeps it.
func (p duePost) post() posts.Post {
	fields := map[string]any{schema.FieldCreatedAt: p.createdAt}
	return posts.Post{ID: p.id, Author: p.author, Audience: p.audience, Fields: fields}
}

// maxDue is the number of posts checked for a reader, the newest first. Up to twice as many are held.
const maxDue = 50_000

// due returns the posts that should reach a reader, newest first, at most as many as a run checks.
func (c *care) due(ctx context.Context, reader string, follows []follow) (all []duePost, err error) {
	own, err := readers.HasOwnPosts(ctx, c.db, reader)
	if err != nil {
		return nil, err
	}
	inAll := c.db.Client.Collection(c.db.Config.Collections().Posts)
	// A post by name came only to people who were there. A repair brings it to those who came later.
	users, err := c.db.User(reader).Parent.Where(firestore.DocumentID, "==", c.db.User(reader)).Select().Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	var naming []firestore.Query
	if len(users) > 0 {
		naming = append(naming, inAll.Where(schema.FieldTo, "array-contains", reader))
	}
	if own { // to whatever audience
		naming = append(naming, inAll.Where(schema.FieldUserID, "==", reader))
	}
	for _, q := range naming {
		q = q.OrderBy(schema.FieldCreatedAt, firestore.Desc).Select(append(names.PostFields(), names.FieldKind)...).Limit(MaxPosts)
		for snap, err := range store.Documents(ctx, q) {
			if err != nil {
				return nil, err
			}
			if post, err := posts.Decode(c.db.Config, snap); err == nil && slices.Contains(post.Recipients, reader) {
				p := dueOf(post, "")
				p.must = c.mend || post.Author == reader || users[0].CreateTime.Before(snap.CreateTime)
				all = append(all, p)
			}
		}
	}
	return c.andFollowed(ctx, all, follows)
}

// andFollowed returns the newest of all and of the posts of those whom a reader follows.
func (c *care) andFollowed(ctx context.Context, all []duePost, follows []follow) ([]duePost, error) {
	most := cmp.Or(c.Posts, maxDue)
	for _, f := range follows {
		newest, err := c.newestOf(ctx, f.audience)
		if err != nil {
			return nil, err
		}
		more := c.db.Config.Backfill
		after := readers.Window(f.since, more, 0).After
		for _, p := range newest {
			p.followed, p.since = f.written, f.since
			if p.must = p.createdAt.After(after); !p.must {
				p.older = more > 0
				more--
			}
			all = append(all, p)
		}
		if len(all) > 2*most {
			all = newestOfAll(all, most)
		}
	}
	return newestOfAll(all, most), nil
}

// newestOfAll returns the newest n posts, newest first, in place.
func newestOfAll(all []duePost, n int) []duePost {
	// A post that names a follower is there twice: first as a post that names the reader.
	slices.SortFunc(all, func(a, b duePost) int { return cmp.Or(newestFirst(a, b), cmp.Compare(a.audience, b.audience)) })
	all = slices.CompactFunc(all, func(a, b duePost) bool { return a.id == b.id })
	return all[:min(n, len(all))]
}

func newestFirst(a, b duePost) int {
	return cmp.Or(b.createdAt.Compare(a.createdAt), cmp.Compare(b.id, a.id))
}

// newestOf returns the newest posts of an audience. It remembers them, because many readers may follow the audience.
func (c *care) newestOf(ctx context.Context, audience string) ([]duePost, error) {
	if newest, ok := c.newest.values[audience]; ok {
		return newest, nil
	}
	found, err := posts.Newest(ctx, c.db, audience, posts.Window{More: cmp.Or(c.Posts, MaxPosts)})
	if err != nil {
		return nil, err
	}
	newest := make([]duePost, len(found))
	for n, p := range found {
		newest[n] = dueOf(p, audience)
	}
	c.newest.keep(audience, newest, 1+len(newest))
	c.progress()
	return newest, nil
}

// unblocked leaves out posts that name a reader who blocks their author.
func (c *care) unblocked(ctx context.Context, reader string, due []duePost) ([]duePost, error) {
	var refs []*firestore.DocumentRef
	for _, p := range due {
		if p.audience == "" && p.author != reader {
			refs = append(refs, c.db.Block(reader, p.author))
		}
	}
	if len(refs) == 0 {
		return due, nil
	}
	blocks, err := c.db.Client.GetAll(ctx, refs)
	if err != nil {
		return nil, err
	}
	blocked := map[string]bool{}
	for _, block := range blocks {
		blocked[block.Ref.ID] = block.Exists()
	}
	return slices.DeleteFunc(due, func(p duePost) bool { return p.audience == "" && blocked[p.author] }), nil
}

// remembered is the largest total size of a memory's values.
const remembered = 100_000

// memory remembers values by id, each with a size. The zero value is empty. When their total exceeds remembered, it
// forgets all earlier ones.
type memory[V any] struct {
	held   int
	values map[string]V
}

func (m *memory[V]) keep(id string, value V, size int) {
	if m.held += size; m.held > remembered || m.values == nil {
		m.held, m.values = size, map[string]V{}
	}
	m.values[id] = value
}
