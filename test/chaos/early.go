package chaos

import "slices"

// lateGroup is a group that gets a post at the beginning, and followers at the end.
var lateGroup = groupID(groups)

// The posts of an early account, which is not deleted, stay as they are until the end.
const (
	earlyPost   = "early-post"
	toLateGroup = "early-post-to-late-group"
	earlyToSome = "early-post-to-some"
)

// earlyPosts makes these posts, and followers.
func (m *maker) earlyPosts() {
	u := m.account()
	for n := 0; n < tries && m.live[u]+3 > m.Posts; n++ {
		u = m.account()
	}
	if m.live[u]+3 > m.Posts {
		return
	}
	m.early = u
	m.live[u] += 3
	to := slices.Concat(m.recipients(u), m.recipients(u), m.recipients(u))
	for _, p := range []ownPost{{id: earlyPost, audience: u}, {id: toLateGroup, audience: lateGroup}, {id: earlyToSome, to: to}} {
		d := m.date()
		m.add(Op{Kind: CreatePost, Author: u, Post: m.named(p.id), At: d.at, Ahead: d.ahead, Text: m.text(), Audience: p.audience, To: p.to})
	}
	for range 4 {
		m.join(u)
	}
}

// join has somebody follow u, or ask to.
func (m *maker) join(u string) {
	for range tries {
		if p := (pair{m.account(), u}); m.mayAsk(p) && !m.back[p.follower] {
			m.ask(p)
			return
		}
	}
}

// changeEarlyPosts takes a post from its readers to a group, hides one from those whom it
// names, and has somebody find the one of lateGroup.
func (m *maker) changeEarlyPosts() {
	g := m.group()
	m.join(g)
	if m.early != "" {
		m.add(Op{Kind: Readdress, Author: m.early, Post: earlyPost, Audience: g})
		m.add(Op{Kind: Hide, Author: m.early, Post: earlyToSome})
	}
	m.join(lateGroup)
}
