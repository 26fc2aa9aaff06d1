package deliverytest

import (
	"maps"
	"slices"
)

// follow names a follower document.
type follow struct{ author, reader string }

// written is a post as its author has written it.
type written struct {
	author string
	at     int // minutes after the first; no two posts have the same
}

// model is what clients have written, and what feeds have to show: a plain join.
type model struct {
	follows map[follow]bool
	posts   map[string]written
	readers map[string]bool // all who have ever followed somebody
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
		m.posts[o.post] = written{o.author, o.at}
		delete(m.gone, o.post)
	case deletes:
		delete(m.posts, o.post)
		m.gone[o.post] = true
	case leaves:
		m.gone[o.author] = true
		maps.DeleteFunc(m.follows, func(f follow, _ bool) bool { return f.author == o.author || f.reader == o.author })
		for id, p := range m.posts {
			if p.author == o.author {
				m.apply(op{kind: deletes, post: id})
			}
		}
	}
}

// feed returns the posts of everyone whom the reader follows, newest first.
func (m *model) feed(reader string) []string {
	feed := []string{}
	for id, p := range m.posts {
		if m.follows[follow{p.author, reader}] {
			feed = append(feed, id)
		}
	}
	slices.SortFunc(feed, func(a, b string) int { return m.posts[b].at - m.posts[a].at })
	return feed
}
