package chaos

import "slices"

// model is what clients have written, and what their feeds have to be: a plain
// join, without anything of the index.
type model struct {
	follows map[string]map[string]bool // reader → authors
	posts   map[string]modelPost       // by id
	blocked map[string]bool            // documents
	deleted map[string]bool            // accounts
}

type modelPost struct {
	author string
	entry  Entry
}

func newModel() *model {
	return &model{follows: map[string]map[string]bool{}, posts: map[string]modelPost{}, blocked: map[string]bool{}, deleted: map[string]bool{}}
}

// modelOf is the model after ops.
func modelOf(ops []Op) *model {
	m := newModel()
	for _, op := range ops {
		m.apply(op)
	}
	return m
}

func (m *model) apply(op Op) {
	post := m.posts[op.Post]
	switch op.Kind {
	case Follow:
		if m.follows[op.User] == nil {
			m.follows[op.User] = map[string]bool{}
		}
		m.follows[op.User][op.Author] = true
	case Unfollow, Block:
		delete(m.follows[op.User], op.Author)
		if op.Kind == Block {
			m.blocked[op.document()] = true
		}
	case Unblock:
		delete(m.blocked, op.document())
	case CreatePost:
		m.posts[op.Post] = modelPost{op.Author, Entry{Post: op.Post, Text: op.Text, CreatedAt: op.At}}
	case Redate:
		post.entry.CreatedAt = op.At
		m.posts[op.Post] = post
	case Reword:
		post.entry.Text = op.Text
		m.posts[op.Post] = post
	case Reassign:
		post.author = op.NewAuthor
		m.posts[op.Post] = post
	case DeletePost:
		delete(m.posts, op.Post)
	case DeleteAccount:
		m.deleteAccount(op.User)
	}
}

func (m *model) deleteAccount(u string) {
	m.deleted[u] = true
	delete(m.follows, u)
	for _, authors := range m.follows {
		delete(authors, u)
	}
	for id, post := range m.posts {
		if post.author == u {
			delete(m.posts, id)
		}
	}
}

// feed is every post of everyone whom the reader follows, newest first.
func (m *model) feed(reader string) []Entry {
	var feed []Entry
	for _, post := range m.posts {
		if m.follows[reader][post.author] {
			feed = append(feed, post.entry)
		}
	}
	slices.SortFunc(feed, func(a, b Entry) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return feed
}
