package relations

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
)

// authorPosts holds an author's posts while relations are compared with them.
type authorPosts struct {
	v       *verifier
	indexes map[string]indexSummary // the author's
	names   []string                // the ids in indexes, sorted
	posts   map[string]*checkedPost // by the prefix of their relations' names
	bytes   int                     // size of fields, held or not

	// current is the last post that was read again because its fields are not held. The
	// relations of a post come together.
	current *postState
}

// checkedPost is a post, and which of its relations have come.
type checkedPost struct {
	id    string
	state *postState // nil: not held
	seen  []bool     // by position in names; nil: none, or all if n says so
	n     int        // relations that have come
}

// heldPostBytes is how many bytes of copied fields are held for an author's posts.
const heldPostBytes = 4 << 20

// postsOf reads u's posts.
func (v *verifier) postsOf(ctx context.Context, u string) (*authorPosts, error) {
	p := &authorPosts{v: v, posts: map[string]*checkedPost{}}
	if a, ok := v.author(u); ok {
		p.indexes = a.indexes
		for i := range p.indexes {
			p.names = append(p.names, i)
		}
		slices.Sort(p.names)
	}
	if checkAuthorID(u) != nil {
		return p, nil
	}
	fields := append([]string{fieldUserID, fieldCreatedAt}, v.opts.CopiedFields...)
	q := v.client.Collection(v.opts.Collections.Posts).Where(fieldUserID, "==", u).Select(fields...)
	for doc, err := range documents(ctx, q) {
		if err != nil {
			return nil, err
		}
		v.seen(&v.count.Posts, 1)
		state, err := v.readPost(doc)
		if err != nil {
			continue // should have no relations
		}
		post := &checkedPost{id: strings.Clone(state.id)}
		if p.bytes += valueBytes(state.fields); p.bytes <= heldPostBytes {
			post.state = &state
		}
		p.posts[relationID(post.id, "")] = post
	}
	return p, nil
}

// has reports whether the author has post id.
func (p *authorPosts) has(id string) bool {
	post, ok := p.posts[relationID(id, "")]
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
	if post := p.posts[relationID(id, "")]; post.state != nil {
		return post.state.fields, nil
	}
	if p.current == nil || p.current.id != id {
		docs, err := readAll(ctx, p.v.client, []*firestore.DocumentRef{p.v.post(id)})
		if err != nil {
			return nil, err
		}
		p.current = &postState{id: id}
		if docs[0].Exists() {
			if state, err := p.v.readPost(docs[0]); err == nil {
				p.current = &state
			}
		}
	}
	return p.current.fields, nil
}
