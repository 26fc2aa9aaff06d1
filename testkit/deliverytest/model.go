package deliverytest

import (
	"maps"
	"slices"
)

// follow names a follower document. The author may be a group.
type follow struct{ author, reader string }

// written is a post as the author has written it.
type written struct {
	author   string
	audience string   // the author, a group, or "" for nobody; its followers get the post
	to       []string // readers who get the post, whether or not they follow
	hidden   bool     // nobody gets the post
	kind     string   // readers hide posts by kind
	old      bool     // the document has no field audience
	at       int      // its createdAt, in steps of apart; no two posts have the same
}

// model has the present documents of clients. From them follow the operations that clients may do
// next, and the events. The oracle, not the model, computes what feeds must show.
type model struct {
	follows map[follow]bool
	posts   map[string]written
	readers map[string]bool // everyone who has ever followed, or was in a `to`
	gone    map[string]bool // deleted accounts and posts, which nothing may name
	decided map[string]decided
	hidden  map[mark]bool
}

func newModel() *model {
	return &model{
		follows: map[follow]bool{}, posts: map[string]written{}, readers: map[string]bool{}, gone: map[string]bool{},
		decided: map[string]decided{}, hidden: map[mark]bool{},
	}
}

func (m *model) clone() *model {
	return &model{
		maps.Clone(m.follows), maps.Clone(m.posts), maps.Clone(m.readers), maps.Clone(m.gone),
		maps.Clone(m.decided), maps.Clone(m.hidden),
	}
}

func (m *model) apply(o op) {
	switch o.kind {
	case follows:
		m.follows[follow{o.author, o.reader}] = true
		m.readers[o.reader] = true
	case unfollows:
		delete(m.follows, follow{o.author, o.reader})
	case posts:
		m.posts[o.post] = o.content
		delete(m.gone, o.post)
		for _, reader := range o.content.to {
			m.readers[reader] = true
		}
	case deletes:
		delete(m.posts, o.post)
		m.gone[o.post] = true
	case decides:
		m.decided[o.reader] = o.decided
	case hides:
		m.hidden[mark{o.post, o.reader}] = true
	case shows:
		delete(m.hidden, mark{o.post, o.reader})
	case comments: // a comment changes no later operation
	case leaves:
		m.gone[o.author] = true
		delete(m.decided, o.author)
		maps.DeleteFunc(m.hidden, func(k mark, _ bool) bool { return k.reader == o.author })
		maps.DeleteFunc(m.follows, func(f follow, _ bool) bool { return f.author == o.author || f.reader == o.author })
		for id, p := range m.posts {
			if p.author == o.author {
				m.apply(op{kind: deletes, post: id})
			} else if slices.Contains(p.to, o.author) {
				p.to = slices.DeleteFunc(slices.Clone(p.to), func(reader string) bool { return reader == o.author })
				m.posts[id] = p
			}
		}
	}
}
