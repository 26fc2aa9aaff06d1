package chaos

import (
	"cmp"
	"slices"
)

// Model is what clients have written, and what their feeds have to be: a plain
// join, without anything of the index.
type Model struct {
	Follows map[string]map[string]bool // reader → authors
	posts   map[string]modelPost       // by id
	blocked map[string]bool            // documents
	deleted map[string]bool            // accounts
	back    map[string]bool            // accounts that came back: see adopt
}

type modelPost struct {
	author string
	entry  Entry
	bare   bool // no relation of it has copied fields
}

// NewModel is that of an empty database.
func NewModel() *Model {
	return &Model{Follows: map[string]map[string]bool{}, posts: map[string]modelPost{}, blocked: map[string]bool{}, deleted: map[string]bool{}, back: map[string]bool{}}
}

// modelOf is the model after ops.
func modelOf(ops []Op) *Model {
	m := NewModel()
	for _, op := range ops {
		m.Apply(op)
	}
	return m
}

// Apply does what op does.
func (m *Model) Apply(op Op) {
	post := m.posts[op.Post]
	switch op.Kind {
	case Follow:
		if m.Follows[op.User] == nil {
			m.Follows[op.User] = map[string]bool{}
		}
		m.Follows[op.User][op.Author] = true
	case Unfollow, Block:
		delete(m.Follows[op.User], op.Author)
		if op.Kind == Block {
			m.blocked[op.document()] = true
		}
	case Unblock:
		delete(m.blocked, op.document())
	case CreatePost:
		m.posts[op.Post] = modelPost{author: op.Author, entry: Entry{Post: op.Post, Text: op.Text, CreatedAt: op.At}}
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
	case Return:
		delete(m.deleted, op.User)
		m.back[op.User] = true
	case Remood:
		post.bare = op.Text == tooMany
		m.posts[op.Post] = post
	case Overwrite, Forbidden: // nothing that a feed shows
	}
}

func (m *Model) deleteAccount(u string) {
	m.deleted[u] = true
	delete(m.Follows, u)
	for _, authors := range m.Follows {
		delete(authors, u)
	}
	for id, post := range m.posts {
		if post.author == u {
			delete(m.posts, id)
		}
	}
}

// Feed is every post of everyone whom the reader follows, newest first, those of
// one time by id: in the order of ReadFeed.
func (m *Model) Feed(reader string) []Entry {
	var feed []Entry
	for _, post := range m.posts {
		if m.Follows[reader][post.author] {
			entry := post.entry
			if post.bare {
				entry.Text = ""
			}
			feed = append(feed, entry)
		}
	}
	slices.SortFunc(feed, func(a, b Entry) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Post, a.Post)) })
	return feed
}
