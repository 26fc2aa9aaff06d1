package chaos

import (
	"fmt"
)

// groups is the number of groups at the beginning, without lateGroup.
const groups = 4

// groupID is the id of the n-th group.
func groupID(n int) string { return fmt.Sprintf("g_group-%05d", n) }

// group returns an existing group.
func (m *maker) group() string {
	for {
		if g := groupID(m.rng.IntN(groups)); !m.deleted[g] {
			return g
		}
	}
}

// followed returns an account to follow, or in every eighth case a group.
func (m *maker) followed() string {
	if m.rng.IntN(8) == 0 {
		return m.group()
	}
	return m.author()
}

// send chooses the audience and the recipients of a new post.
func (m *maker) send(p ownPost) ownPost {
	p.audience = p.author
	switch n := m.rng.IntN(10); {
	case n < 3:
		p.audience, p.old = "", true
	case n < 5:
		p.audience = m.group()
	case n < 6:
		p.audience = ""
	}
	if m.rng.IntN(4) == 0 {
		p.to = m.recipients(p.author)
	}
	return p
}

// recipients returns existing accounts that a post of u may name. They may include u, and an account
// twice.
func (m *maker) recipients(u string) []string {
	var to []string
	for range 1 + m.rng.IntN(4) {
		r := m.account()
		if blocks := m.blockers(u); len(blocks) > 0 && m.rng.IntN(3) == 0 {
			r = blocks[m.rng.IntN(len(blocks))] // blocks u, and so gets nothing
		}
		to = append(to, r)
	}
	return to
}

// blockers returns the accounts that block u.
func (m *maker) blockers(u string) (blockers []string) {
	for _, p := range m.blocks {
		if p.follower == u && m.blocked[p] && !m.deleted[p.author] {
			blockers = append(blockers, p.author)
		}
	}
	return blockers
}

// readdress sets a post's audience.
func (m *maker) readdress() {
	audiences := []func(ownPost) string{
		func(p ownPost) string { return p.author },
		func(ownPost) string { return m.group() },
		func(ownPost) string { return m.group() },
		func(ownPost) string { return "" },
	}
	m.onPost(func(n int) {
		p := &m.posts[n]
		p.audience, p.old = audiences[m.rng.IntN(len(audiences))](*p), false
		m.add(Op{Kind: Readdress, Author: p.author, Post: p.id, Audience: p.audience, Spared: m.back[p.author]})
	})
}

// direct sets the readers that a post names; in every third case none.
func (m *maker) direct() {
	m.onPost(func(n int) {
		p := &m.posts[n]
		if p.to = nil; m.rng.IntN(3) > 0 {
			p.to = m.recipients(p.author)
		}
		m.add(Op{Kind: Direct, Author: p.author, Post: p.id, To: p.to, Spared: m.back[p.author]})
	})
}

// hide hides a post. In every other case in which it finds a hidden one, it shows that one instead.
func (m *maker) hide() {
	m.onPost(func(n int) {
		show := m.rng.IntN(2) == 0
		for range tries {
			if m.posts[n].hidden == show {
				break
			}
			n = m.rng.IntN(len(m.posts))
		}
		m.toggleHidden(n)
	})
}

func (m *maker) toggleHidden(n int) {
	p := &m.posts[n]
	kind := Hide
	if p.hidden {
		kind = Show
	}
	p.hidden = !p.hidden
	m.add(Op{Kind: kind, Author: p.author, Post: p.id, Spared: m.back[p.author]})
}

// audienceKinds are kinds of operations that each run with toAudiences has.
var audienceKinds = []Kind{Readdress, Direct, Hide, Show, Close, Request, Withdraw, Decline, Accept}

// toAudiences does each of these to accounts with followers. It is the end of a run, so nothing later
// hides the effects in feeds.
func (m *maker) toAudiences() {
	if m.Ops < ingredientsFrom {
		return
	}
	m.readdress()
	m.direct()
	m.onPost(func(n int) {
		m.toggleHidden(n)
		m.toggleHidden(n)
	})
	u := m.followed()
	if !m.closed[u] {
		m.setClosed(u)
	}
	for _, kind := range []Kind{Accept, Decline, Withdraw} {
		for range 10 * tries {
			p := pair{m.account(), u}
			if m.mayAsk(p) {
				m.ask(p)
				m.answerWith(p, kind)
				break
			}
		}
	}
	m.disband()
	m.changeEarlyPosts()
	m.decideEverything()
}

// disband deletes a group, unless half of the groups are deleted.
func (m *maker) disband() {
	left := 0
	for n := range groups {
		if !m.deleted[groupID(n)] {
			left++
		}
	}
	if left > groups/2 {
		m.forget(m.group())
	}
}
