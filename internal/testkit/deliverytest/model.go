package deliverytest

import (
	"maps"
	"slices"
)

// follow names a follower document. The author may be a group.
type follow struct{ author, reader string }

// written is a post as its author has written it.
type written struct {
	author   string
	audience string   // whose followers get it: the author, a group, or "" for nobody
	to       []string // readers who get it whomever they follow
	hidden   bool     // nobody gets it
	old      bool     // it has no field audience
	at       int      // minutes after the first; no two posts have the same
}

// model is what clients have written, and what feeds have to show: a plain join.
type model struct {
	follows map[follow]bool
	posts   map[string]written
	readers map[string]bool // all who have ever followed somebody, or were in a `to`
	gone    map[string]bool // deleted accounts and posts, which nothing may name
}

func newModel() *model {
	return &model{follows: map[follow]bool{}, posts: map[string]written{}, readers: map[string]bool{}, gone: map[string]bool{}}
}

func (m *model) clone() *model {
	return &model{maps.Clone(m.follows), maps.Clone(m.posts), maps.Clone(m.readers), maps.Clone(m.gone)}
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
	case leaves:
		m.gone[o.author] = true
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

// reaches reports whether a reader gets a post.
func (m *model) reaches(p written, reader string) bool {
	return !p.hidden && (m.follows[follow{p.audience, reader}] || slices.Contains(p.to, reader))
}

// feed returns the posts that reach a reader, newest first.
func (m *model) feed(reader string) []string {
	feed := []string{}
	for id, p := range m.posts {
		if m.reaches(p, reader) {
			feed = append(feed, id)
		}
	}
	slices.SortFunc(feed, func(a, b string) int { return m.posts[b].at - m.posts[a].at })
	return feed
}
