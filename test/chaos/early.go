package chaos

import "slices"

// lateGroup is a group that has a post at the beginning, and gets followers only at the end.
var lateGroup = groupID(groups)

// The early account is not deleted. Its posts do not change until the end.
const (
	earlyPost   = "early-post"
	toLateGroup = "early-post-to-late-group"
	earlyToSome = "early-post-to-some"
)

// earlyPosts makes these posts, and followers of their author.
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

// join makes somebody follow u, or request to.
func (m *maker) join(u string) {
	for range tries {
		if p := (pair{m.account(), u}); m.mayAsk(p) && !m.back[p.follower] {
			m.ask(p)
			return
		}
	}
}

// changeEarlyPosts moves a post from its readers to a group, hides one from the readers whom it names,
// and gives lateGroup a follower, who must find the group's post.
func (m *maker) changeEarlyPosts() {
	g := m.group()
	m.join(g)
	if m.early != "" {
		m.add(Op{Kind: Readdress, Author: m.early, Post: earlyPost, Audience: g})
		m.add(Op{Kind: Hide, Author: m.early, Post: earlyToSome})
	}
	m.join(lateGroup)
}
