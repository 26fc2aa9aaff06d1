package clients

import (
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/schema"
)

// postKinds are the kinds of posts; "": none. A kind may have a slash.
var postKinds = []string{"", "photo", "event", "poll/open"}

// postKind returns the kind of a new post; "" unless readers decide.
func (m *maker) postKind() string {
	if !m.Decides {
		return ""
	}
	return postKinds[m.rng.IntN(len(postKinds))]
}

func (m *maker) rekind() {
	m.onPost(func(post string) { m.edit(Op{Kind: Rekind, PostKind: m.postKind()}, post) })
}

// MayDecide reports whether an account may decide. Every other account may, so that the rest show
// timelines without settings.
func MayDecide(u string) bool { return strings.ContainsAny(u[len(u)-1:], "02468") }

// decider returns an existing account that may decide, often a follower of somebody.
func (m *maker) decider() string {
	for range tries {
		if p, ok := m.following(); ok && MayDecide(p.follower) {
			return p.follower
		}
	}
	u := m.account()
	for range tries {
		if MayDecide(u) {
			break
		}
		u = m.account()
	}
	return u
}

// decide sets the patterns that a reader hides and shows; in every third case none.
func (m *maker) decide() {
	u := m.decider()
	op := Op{Kind: Decide, User: u}
	if m.rng.IntN(3) > 0 {
		for range 1 + m.rng.IntN(3) {
			op.Hide = append(op.Hide, m.pattern(u))
		}
		for range m.rng.IntN(3) {
			op.Show = append(op.Show, m.pattern(u))
		}
	}
	m.add(op)
}

// pattern returns a pattern for all authors, or for one author, whom the reader follows if possible.
func (m *maker) pattern(u string) string {
	author, kind := "*", "*"
	if m.rng.IntN(2) == 0 {
		author = m.author()
		for range 2 * tries {
			if p, ok := m.following(); ok && p.follower == u && !schema.IsGroup(p.author) {
				author = p.author
				break
			}
		}
	}
	if author == "*" || m.rng.IntN(2) == 0 { // a pattern of all authors and kinds would leave nothing
		kind = postKinds[m.rng.IntN(len(postKinds))]
	}
	return author + "/" + kind
}

// see makes a reader idle, or present again.
func (m *maker) see() {
	u := m.decider()
	m.idle[u] = !m.idle[u] && m.rng.IntN(3) > 0
	m.seen(u)
}

func (m *maker) seen(u string) {
	text := SeenNow
	if m.idle[u] {
		text = SeenLongAgo
	}
	m.add(Op{Kind: See, User: u, Text: text})
}

func (m *maker) read() { m.add(Op{Kind: Read, User: m.decider(), At: m.longAgo()}) }

// hidePost hides a post of an account that the reader follows, if there is one.
func (m *maker) hidePost() {
	m.onPost(func(post string) {
		p := pair{m.decider(), post}
		for range 3 * tries {
			post = m.posts[m.rng.IntN(len(m.posts))]
			if m.present.Follows(p.follower, m.present.text(post, "audience")) || m.present.Follows(p.follower, m.authorOf(post)) {
				p.author = post
				break
			}
		}
		if m.hides(p) {
			return
		}
		m.hidden = append(m.hidden, p)
		m.add(Op{Kind: HidePost, User: p.follower, Post: p.author})
	})
}

func (m *maker) hides(p pair) bool { return m.present.has(HidePost, p.follower, p.author) }

func (m *maker) unhidePost() {
	if p, ok := m.draw(&m.hidden, m.hides); ok {
		m.add(Op{Kind: UnhidePost, User: p.follower, Post: p.author})
	} else {
		m.hidePost()
	}
}

// rename changes the name of an account with posts.
func (m *maker) rename() {
	m.onPost(func(post string) {
		u := m.authorOf(post)
		m.add(Op{Kind: Rename, User: u, Text: fmt.Sprintf("name of operation %d", len(m.ops)), Spared: m.back[u]})
	})
}

// comment adds a comment by a popular account, or in every other case by an account that a reader of
// the post follows. In every third case, the comment is for a group that the commenter follows.
func (m *maker) comment() {
	m.onPost(func(post string) {
		user := m.author()
		if p, ok := m.following(); ok && m.rng.IntN(2) == 0 {
			user = p.author
			for range tries {
				if m.present.Follows(p.follower, m.present.text(post, "audience")) {
					break
				}
				post = m.posts[m.rng.IntN(len(m.posts))]
			}
		}
		if schema.IsGroup(user) {
			user = m.author()
		}
		op := Op{Kind: Comment, User: user, Post: post, Text: fmt.Sprintf("comment-%05d", len(m.ops))}
		if g := m.group(); m.rng.IntN(3) == 0 && m.present.Follows(op.User, g) {
			op.Audience = g
		}
		m.comments = append(m.comments, op)
		m.add(op)
	})
}

// uncomment deletes a comment.
func (m *maker) uncomment() {
	if len(m.comments) == 0 {
		m.comment()
		return
	}
	n := m.rng.IntN(len(m.comments))
	op := m.comments[n]
	op.Kind, op.Audience = Uncomment, "" // the audience may be gone
	m.comments = slices.Delete(m.comments, n, n+1)
	m.add(op)
}

// like likes a post, in every third case by its author. In every fifth case, the like is then undone
// and made again, up to nine writes in all.
func (m *maker) like() {
	m.onPost(func(post string) {
		l := pair{m.account(), post}
		if m.rng.IntN(3) == 0 {
			l.follower = m.authorOf(post)
		}
		times := 1
		if m.rng.IntN(5) == 0 {
			times = 2 + m.rng.IntN(8)
		}
		for range times {
			m.toggleLike(l)
		}
	})
}

func (m *maker) likes(l pair) bool { return m.present.has(Like, l.follower, l.author) }

// toggleLike makes a like, or deletes it if it exists.
func (m *maker) toggleLike(l pair) {
	kind := Unlike
	if !m.likes(l) {
		kind = Like
		m.liked = append(m.liked, l)
	}
	m.add(Op{Kind: kind, User: l.follower, Post: l.author})
}

func (m *maker) unlike() {
	if l, ok := m.draw(&m.liked, m.likes); ok {
		m.toggleLike(l)
	} else {
		m.like()
	}
}
