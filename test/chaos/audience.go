package chaos

import (
	"fmt"
)

// groups is how many there are at the beginning, without lateGroup.
const groups = 4

// groupID is the id of the n-th group.
func groupID(n int) string { return fmt.Sprintf("g_group-%05d", n) }

// group is a group that is there.
func (m *maker) group() string {
	for {
		if g := groupID(m.rng.IntN(groups)); !m.deleted[g] {
			return g
		}
	}
}

// followed is whom somebody may follow: an account, or in every eighth case a group.
func (m *maker) followed() string {
	if m.rng.IntN(8) == 0 {
		return m.group()
	}
	return m.author()
}

// send chooses whom a new post is for.
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

// recipients are some accounts that a post of u may name, perhaps u and one twice.
func (m *maker) recipients(u string) []string {
	var to []string
	for range 1 + m.rng.IntN(4) {
		r := m.account()
		if blocks := m.blockers(u); len(blocks) > 0 && m.rng.IntN(3) == 0 {
			r = blocks[m.rng.IntN(len(blocks))] // who gets nothing now
		}
		to = append(to, r)
	}
	return to
}

// blockers are the accounts that block u.
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

// direct sets whom a post names; in every third case nobody.
func (m *maker) direct() {
	m.onPost(func(n int) {
		p := &m.posts[n]
		if p.to = nil; m.rng.IntN(3) > 0 {
			p.to = m.recipients(p.author)
		}
		m.add(Op{Kind: Direct, Author: p.author, Post: p.id, To: p.to, Spared: m.back[p.author]})
	})
}

// hide hides a post, or, in every other case in which it finds one, shows a hidden one.
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

// audienceKinds are what each run has that toAudiences is a part of.
var audienceKinds = []Kind{Readdress, Direct, Hide, Show, Close, Request, Withdraw, Decline, Accept}

// toAudiences does one of each to what has followers. Nothing comes after it, so what it
// does shows in feeds.
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

// disband deletes a group, and at most half of them.
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
