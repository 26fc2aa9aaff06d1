package verify

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// audiencePosts holds the posts of an audience while relations are compared with them.
type audiencePosts struct {
	v       *check
	indexes map[string]indexSummary // the audience's
	names   []string                // the ids in indexes, sorted
	posts   map[string]*checkedPost // by the prefix of their relations' names
	bytes   int                     // size of fields, held or not

	// current is the last post that was read again because its fields are not held. The
	// relations of a post come together.
	current *posts.Post
}

// checkedPost is a post, and which of its relations have come.
type checkedPost struct {
	id     string
	author string
	state  *posts.Post // nil: not held
	seen   []bool      // by position in names; nil: none, or all if n says so
	n      int         // relations that have come

	createdAt time.Time
	dated     bool // createdAt is the post's own, a timestamp
}

// heldPostBytes is how many bytes of copied fields are held for the posts of an audience.
const heldPostBytes = 4 << 20

// postsOf reads the posts of audience a. Those of an author's followers may not name their
// audience, so it reads all posts of that author.
func (v *check) postsOf(ctx context.Context, a string) (*audiencePosts, error) {
	p := &audiencePosts{v: v, posts: map[string]*checkedPost{}}
	if found, ok := v.author(a); ok {
		p.indexes = found.indexes
		for i := range p.indexes {
			if i != schema.DirectIndex {
				p.names = append(p.names, i)
			}
		}
		slices.Sort(p.names)
	}
	if schema.CheckAccountID(a) != nil {
		return p, nil
	}
	unfilled := 0
	for doc, err := range store.Documents(ctx, posts.For(v.db, a).Select(v.postFields()...)) {
		if err != nil {
			return nil, err
		}
		state, err := posts.Decode(v.db.Config, doc)
		if err != nil || state.Audience != a {
			continue // should have no relations here
		}
		if v.only != "" { // otherwise checkDirect counts all
			v.seen(&v.count.Posts, 1)
		}
		fields := schema.FieldsOf(doc, schema.FieldAudience, schema.FieldHidden, schema.FieldCreatedAt)
		if fields[schema.FieldAudience] == nil || fields[schema.FieldHidden] == nil {
			unfilled++
		}
		post := &checkedPost{id: strings.Clone(state.ID), author: strings.Clone(state.Author), createdAt: state.CreatedAt()}
		_, post.dated = fields[schema.FieldCreatedAt].(time.Time)
		if p.bytes += schema.ValueBytes(state.Fields); p.bytes <= heldPostBytes {
			post.state = &state
		}
		p.posts[schema.RelationID(post.id, "")] = post
	}
	if unfilled > 0 && v.db.Config.PostsFilled {
		v.violation(Violation{Invariant: 3, Document: v.db.User(a).Path, Author: a},
			"%d posts lack audience or hidden, but RELATIONINDEX_POSTS_FILLED says that none does: run relationindex fill-posts, then repair", unfilled)
	}
	return p, nil
}

// posts returns the collection of posts.
func (v *check) posts() *firestore.CollectionRef {
	return v.db.Client.Collection(v.db.Config.Collections().Posts)
}

// postFields returns the fields of a post that its relations depend on.
func (v *check) postFields() []string {
	return append(names.PostFields(), v.db.Config.CopiedFields...)
}

// byName returns the audience's post with this id; nil if there is none.
func (p *audiencePosts) byName(id string) *checkedPost {
	if post, ok := p.posts[schema.RelationID(id, "")]; ok && post.id == id {
		return post
	}
	return nil
}

// take returns the post and index document in the name of a relation, and notes that the
// relation exists. It returns "" if no relation should have this name.
func (p *audiencePosts) take(r relationCopy) (post, index string) {
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

// missing yields the post and index document of each relation that has not come.
func (p *audiencePosts) missing() iter.Seq2[string, string] {
	return func(yield func(post, index string) bool) {
		for _, post := range p.posts {
			if post.n == len(p.names) || p.v.mayLack(post.createdAt, post.dated) {
				continue
			}
			for at, i := range p.names {
				if (post.seen == nil || !post.seen[at]) && !yield(post.id, i) {
					return
				}
			}
		}
	}
}

// fields returns the fields that relations copy from a post; none if the post has just
// gone.
func (p *audiencePosts) fields(ctx context.Context, id string) (map[string]any, error) {
	if post := p.posts[schema.RelationID(id, "")]; post.state != nil {
		return post.state.Fields, nil
	}
	if p.current == nil || p.current.ID != id {
		docs, err := store.ReadAll(ctx, p.v.db.Client, []*firestore.DocumentRef{p.v.db.Post(id)})
		if err != nil {
			return nil, err
		}
		p.current = &posts.Post{ID: id}
		if docs[0].Exists() {
			if state, err := posts.Decode(p.v.db.Config, docs[0]); err == nil {
				p.current = &state
			}
		}
	}
	return p.current.Fields, nil
}
