package verify

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/relations"
	"example.com/relationindex/schema"
)

// authorPosts holds an author's posts while relations are compared with them.
type authorPosts struct {
	v       *check
	indexes map[string]indexSummary // the author's
	names   []string                // the ids in indexes, sorted
	posts   map[string]*checkedPost // by the prefix of their relations' names
	bytes   int                     // size of fields, held or not

	// current is the last post that was read again because its fields are not held. The
	// relations of a post come together.
	current *relations.PostState
}

// checkedPost is a post, and which of its relations have come.
type checkedPost struct {
	id    string
	state *relations.PostState // nil: not held
	seen  []bool               // by position in names; nil: none, or all if n says so
	n     int                  // relations that have come
}

// heldPostBytes is how many bytes of copied fields are held for an author's posts.
const heldPostBytes = 4 << 20

// postsOf reads u's posts.
func (v *check) postsOf(ctx context.Context, u string) (*authorPosts, error) {
	p := &authorPosts{v: v, posts: map[string]*checkedPost{}}
	if a, ok := v.author(u); ok {
		p.indexes = a.indexes
		for i := range p.indexes {
			p.names = append(p.names, i)
		}
		slices.Sort(p.names)
	}
	if schema.CheckAuthorID(u) != nil {
		return p, nil
	}
	fields := append([]string{schema.FieldUserID, schema.FieldCreatedAt}, v.db.Options.CopiedFields...)
	q := v.db.Client.Collection(v.db.Options.Collections.Posts).Where(schema.FieldUserID, "==", u).Select(fields...)
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return nil, err
		}
		v.seen(&v.count.Posts, 1)
		state, err := v.relations.ReadPost(doc)
		if err != nil {
			continue // should have no relations
		}
		post := &checkedPost{id: strings.Clone(state.ID)}
		if p.bytes += schema.ValueBytes(state.Fields); p.bytes <= heldPostBytes {
			post.state = &state
		}
		p.posts[schema.RelationID(post.id, "")] = post
	}
	return p, nil
}

// has reports whether the author has post id.
func (p *authorPosts) has(id string) bool {
	post, ok := p.posts[schema.RelationID(id, "")]
	return ok && post.id == id
}

// take returns the post and index document in the name of a relation, and notes that the
// relation exists. It returns "" if no relation should have this name.
func (p *authorPosts) take(r relationCopy) (post, index string) {
	name := r.ref.ID
	for n := len(name) - 1; n > 0; n-- {
		if name[n] != '_' {
			continue
		}
		found, ok := p.posts[name[:n+1]]
		if !ok {
			continue
		}
		if at, ok := slices.BinarySearch(p.names, name[n+1:]); ok {
			found.came(at, len(p.names))
			return found.id, p.names[at]
		}
	}
	return "", ""
}

// came notes that the relation of an index document has come.
func (c *checkedPost) came(at, all int) {
	if c.n++; c.n == all {
		c.seen = nil // all have come
		return
	}
	if c.seen == nil {
		c.seen = make([]bool, all)
	}
	c.seen[at] = true
}

// missing calls report for each relation that has not come.
func (p *authorPosts) missing(report func(post, index string)) {
	for _, post := range p.posts {
		if post.n == len(p.names) {
			continue
		}
		for at, i := range p.names {
			if post.seen == nil || !post.seen[at] {
				report(post.id, i)
			}
		}
	}
}

// fields returns the fields that relations copy from a post; none if the post has just
// gone.
func (p *authorPosts) fields(ctx context.Context, id string) (map[string]any, error) {
	if post := p.posts[schema.RelationID(id, "")]; post.state != nil {
		return post.state.Fields, nil
	}
	if p.current == nil || p.current.ID != id {
		docs, err := store.ReadAll(ctx, p.v.db.Client, []*firestore.DocumentRef{p.v.db.Post(id)})
		if err != nil {
			return nil, err
		}
		p.current = &relations.PostState{ID: id}
		if docs[0].Exists() {
			if state, err := p.v.relations.ReadPost(docs[0]); err == nil {
				p.current = &state
			}
		}
	}
	return p.current.Fields, nil
}
