package relations

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
)

// authorPosts are an author's posts while relations are compared with them.
type authorPosts struct {
	v       *verifier
	indexes map[string]indexSummary // of the author
	names   []string                // of indexes, sorted
	posts   map[string]*checkedPost // by what the names of their relations begin with
	bytes   int                     // of fields that are held

	// current is the last post whose fields were read because they are not held. The relations of a post come
	// together.
	current *postState
}

// checkedPost is a post, and which of its relations have come.
type checkedPost struct {
	id    string
	state *postState // nil: not held
	seen  []bool     // by names; nil: none or, with n, all
	n     int        // how many have come
}

// heldPostBytes is how many bytes of copied fields are held of an author's posts.
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
			continue // has no relations
		}
		post := &checkedPost{id: strings.Clone(state.id)}
		if p.bytes += valueBytes(state.fields); p.bytes <= heldPostBytes {
			post.state = &state
		}
		p.posts[relationID(post.id, "")] = post
	}
	return p, nil
}

// has says whether the author has post id.
func (p *authorPosts) has(id string) bool {
	post, ok := p.posts[relationID(id, "")]
	return ok && post.id == id
}

// take is the post and the index document that the name of a relation is made of, and notes that it is there; "" where
// there should be none of this name.
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
		c.seen = nil // no more is to be known
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

// fields are what relations copy of a post; nothing of one that has just gone.
func (p *authorPosts) fields(ctx context.Context, id string) (map[string]any, error) {
	if post := p.posts[relationID(id, "")]; post.state != nil {
		return post.state.fields, nil
	}
	if p.current == nil || p.current.id != id {
		docs, err := p.v.readAll(ctx, []*firestore.DocumentRef{p.v.post(id)})
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
