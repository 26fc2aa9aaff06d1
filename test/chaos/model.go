package chaos

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/schema"
)

// Model is what clients have written, and what their feeds have to be: a plain
// join, without anything of the index.
type Model struct {
	Follows  map[string]map[string]bool // reader → authors
	posts    map[string]modelPost       // by id
	blocked  map[string]bool            // documents
	requests map[string]bool            // follow documents that are asked for
	deleted  map[string]bool            // accounts
	back     map[string]bool            // accounts that came back: see adopt
	own      bool                       // authors see their own posts

	readers  map[string]decisions       // by reader
	hidden   map[string]map[string]bool // reader → posts that they hide
	ever     map[string]map[string]bool // reader → accounts that they follow or have followed
	places   map[string][]time.Time     // each createdAt that a post has had
	moved    map[string]bool            // posts that were for others before
	comments map[string]map[string]Op   // by post and id
	away     map[string]bool            // readers who were idle before the last posts came
	before   map[string]map[string]bool // reader → posts that were there right before they returned
}

type modelPost struct {
	author string
	sent   sending
	entry  Entry
	kind   string
	bare   bool // no relation of it has copied fields
	idle   bool // its last write changes nothing that deliveries read, or perhaps nothing
}

// sending is whom a post is for.
type sending struct {
	Old      bool     // it has no field audience
	Audience string   `firestore:"audience"`
	To       []string `firestore:"to"`
	Hidden   bool     `firestore:"hidden"`
}

// followedAs is whose followers get the post; "": nobody's. An author who speaks for another
// person's followers speaks for nobody's.
func (p modelPost) followedAs() string {
	switch {
	case p.sent.Old:
		return p.author
	case p.sent.Audience == p.author, schema.IsGroup(p.sent.Audience):
		return p.sent.Audience
	default:
		return ""
	}
}

// NewModel is that of an empty database.
func NewModel() *Model {
	return &Model{
		Follows: map[string]map[string]bool{}, posts: map[string]modelPost{}, blocked: map[string]bool{}, requests: map[string]bool{}, deleted: map[string]bool{}, back: map[string]bool{},
		readers: map[string]decisions{}, hidden: map[string]map[string]bool{}, ever: map[string]map[string]bool{}, places: map[string][]time.Time{}, moved: map[string]bool{}, comments: map[string]map[string]Op{},
		away: map[string]bool{}, before: map[string]map[string]bool{},
	}
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
	before := post
	post.idle = false
	switch op.Kind {
	case Follow, Accept:
		if m.Follows[op.User] == nil {
			m.Follows[op.User] = map[string]bool{}
		}
		if m.ever[op.User] == nil {
			m.ever[op.User] = map[string]bool{}
		}
		m.Follows[op.User][op.Author], m.ever[op.User][op.Author] = true, true
		delete(m.requests, op.subject())
	case Request:
		m.requests[op.subject()] = true
	case Withdraw, Decline:
		delete(m.requests, op.subject())
	case Unfollow, Block:
		delete(m.Follows[op.User], op.Author)
		if op.Kind == Block {
			m.blocked[op.document()] = true
		}
	case Unblock:
		delete(m.blocked, op.document())
	case CreatePost:
		m.posts[op.Post] = modelPost{
			author: op.Author, sent: sending{Old: op.Old, Audience: op.Audience, To: op.To},
			entry: Entry{Post: op.Post, Text: op.Text, CreatedAt: op.At}, kind: op.PostKind,
		}
		m.places[op.Post] = append(m.places[op.Post], op.At)
	case Redate:
		m.places[op.Post] = append(m.places[op.Post], op.At)
		post.entry.CreatedAt = op.At
		m.posts[op.Post] = post
	case Reword:
		post.entry.Text = op.Text
		m.posts[op.Post] = post
	case Reassign:
		post.author = op.NewAuthor
		if op.Audience != "" {
			post.sent.Audience = op.Audience
		}
		m.posts[op.Post] = post
	case Readdress:
		post.sent.Old, post.sent.Audience = false, op.Audience
		post.idle = post.followedAs() == before.followedAs()
		m.posts[op.Post] = post
	case Direct:
		post.sent.To = op.To
		post.idle = slices.Equal(before.sent.To, op.To)
		m.posts[op.Post] = post
	case Hide, Show:
		post.sent.Hidden = op.Kind == Hide
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
		post.idle = true // it may have had that mood
		m.posts[op.Post] = post
	case Rekind:
		post.kind = op.PostKind
		post.idle = post.kind == before.kind
		m.posts[op.Post] = post
	case Comment:
		if m.comments[op.Post] == nil {
			m.comments[op.Post] = map[string]Op{}
		}
		m.comments[op.Post][op.Text] = op
	case Decide, See, Read, HidePost, UnhidePost:
		m.applyDecision(op)
	case Overwrite, Close, Open, Forbidden: // nothing that a feed shows
	}
	switch op.Kind {
	case Reassign, Readdress, Direct, Hide, Show:
		m.moved[op.Post] = true
	default:
	}
}

func (m *Model) deleteAccount(u string) {
	m.deleted[u] = true
	m.readers[u] = decisions{leftOut: m.readers[u].leftOut}
	delete(m.hidden, u)
	delete(m.Follows, u)
	for _, authors := range m.Follows {
		delete(authors, u)
	}
	for id, post := range m.posts {
		if post.author == u {
			delete(m.posts, id)
		} else {
			m.posts[id], m.moved[id] = post.without(u), m.moved[id] || slices.Contains(post.sent.To, u)
		}
	}
	for request := range m.requests {
		if strings.Contains(request, u) {
			delete(m.requests, request)
		}
	}
}

// without is the post without u in its `to`.
func (p modelPost) without(u string) modelPost {
	p.sent.To = slices.DeleteFunc(slices.Clone(p.sent.To), func(r string) bool { return r == u })
	return p
}

// reaches says whether a reader gets a post. Who blocks the author is no recipient.
func (m *Model) reaches(post modelPost, reader string) bool {
	if post.sent.Hidden {
		return false
	}
	return m.Follows[reader][post.followedAs()] || m.names(post, reader)
}

// names says whether a post is for a reader whomever they follow.
func (m *Model) names(post modelPost, reader string) bool {
	if reader == post.author {
		return m.own
	}
	return slices.Contains(post.sent.To, reader) && !m.blocked[Op{Kind: Block, User: post.author, Author: reader}.document()]
}

// Feed is every post that reaches the reader, newest first, those of one time by id: in
// the order of ReadFeed, and as relations show it.
func (m *Model) Feed(reader string) []Entry { return m.feed(reader, false) }

// feed is Feed; whole has the posts' own texts, as the function Feed has them.
func (m *Model) feed(reader string, whole bool) []Entry {
	var feed []Entry
	for _, post := range m.posts {
		if m.reaches(post, reader) {
			entry := post.entry
			if post.bare && !whole {
				entry.Text = ""
			}
			feed = append(feed, entry)
		}
	}
	slices.SortFunc(feed, func(a, b Entry) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Post, a.Post)) })
	return feed
}
