package clients

import (
	"slices"

	"example.com/relationindex/schema"
)

// Groups is the number of groups at the beginning, without LateGroup.
const Groups = 4

func (m *maker) mayAsk(p pair) bool  { return m.present.MayFollow(p.follower, p.author) }
func (m *maker) asks(p pair) bool    { return m.present.has(Request, p.follower, p.author) }
func (m *maker) blocked(p pair) bool { return m.present.has(Block, p.follower, p.author) }
func (m *maker) follows(p pair) bool { return m.present.Follows(p.follower, p.author) }

func (m *maker) addPair(kind Kind, p pair) { m.add(Op{Kind: kind, User: p.follower, Author: p.author}) }

func (m *maker) follow() {
	if p, ok := m.meet(tries, m.followed, m.mayAsk); ok {
		m.ask(p)
	}
}

// ask adds a follow, or a request for one if the account is closed.
func (m *maker) ask(p pair) {
	if !m.present.closed(p.author) {
		m.toggle(p)
		return
	}
	m.asked = append(m.asked, p)
	m.addPair(Request, p)
}

// toggle makes a follow, or deletes it if it exists.
func (m *maker) toggle(p pair) {
	if m.follows(p) {
		m.addPair(Unfollow, p)
		return
	}
	m.pairs = append(m.pairs, p)
	m.addPair(Follow, p)
}

// imported adds a follow with an older date, as a server imports it.
func (m *maker) imported() {
	if p, ok := m.meet(tries, m.followed, m.mayAsk); ok {
		m.pairs = append(m.pairs, p)
		m.add(Op{Kind: Follow, User: p.follower, Author: p.author, At: m.longAgo()})
	}
}

// postAfterFollow adds a follow, and right after it a post of the followed account.
func (m *maker) postAfterFollow() {
	for range tries {
		u := m.author()
		if p := (pair{m.account(), u}); m.mayAsk(p) && !m.present.closed(u) && m.live[u] < m.Posts {
			m.toggle(p)
			m.postOf(u, m.now())
			return
		}
	}
	m.follow()
}

// following returns one of the follows.
func (m *maker) following() (pair, bool) {
	for range tries {
		if len(m.pairs) == 0 {
			break
		}
		n := m.rng.IntN(len(m.pairs))
		if p := m.pairs[n]; m.follows(p) {
			return p, true
		}
		m.pairs[n] = m.pairs[len(m.pairs)-1]
		m.pairs = m.pairs[:len(m.pairs)-1]
	}
	return pair{}, false
}

func (m *maker) unfollow() {
	if p, ok := m.following(); ok {
		m.toggle(p)
	} else {
		m.follow()
	}
}

// flipFlop toggles a follow three to nine times.
func (m *maker) flipFlop() {
	p := pair{m.account(), m.followed()}
	if p.follower == p.author || m.present.Apart(p.follower, p.author) || m.present.closed(p.author) || m.asks(p) {
		return
	}
	for range 3 + m.rng.IntN(7) {
		m.toggle(p)
	}
}

// block ends a follow, and prevents a new one.
func (m *maker) block() {
	p, ok := m.following()
	if !ok || schema.IsGroup(p.author) {
		m.follow()
		return
	}
	m.blockPair(p)
}

// mayBlock reports whether author may block follower now.
func (m *maker) mayBlock(p pair) bool {
	return p.follower != p.author && !m.blocked(p) && !m.asks(p)
}

// blockSender adds a block of an author by a reader whom a post of theirs names.
func (m *maker) blockSender() {
	for range tries {
		if len(m.posts) == 0 {
			break
		}
		post := m.posts[m.rng.IntN(len(m.posts))]
		for _, r := range m.present.names(post) {
			if p := (pair{m.authorOf(post), r}); m.mayBlock(p) && !m.gone(r) {
				m.blockPair(p)
				return
			}
		}
	}
	m.direct()
}

// blockActor makes a post's author block somebody who likes the post or comments on it.
func (m *maker) blockActor() {
	for range tries {
		if len(m.liked) == 0 {
			break
		}
		l := m.liked[m.rng.IntN(len(m.liked))]
		if m.rng.IntN(2) == 0 && len(m.comments) > 0 {
			op := m.comments[m.rng.IntN(len(m.comments))]
			l = pair{op.User, op.Post}
		}
		if p := (pair{l.follower, m.authorOf(l.author)}); p.author != "" && m.mayBlock(p) && !m.gone(p.follower) {
			m.blockPair(p)
			return
		}
	}
	m.comment()
}

func (m *maker) blockPair(p pair) {
	m.blocks = append(m.blocks, p)
	m.addPair(Block, p)
}

// unblock ends a block. In every other case, the follower follows again at once.
func (m *maker) unblock() {
	p, ok := m.draw(&m.blocks, func(p pair) bool { return m.blocked(p) && !m.gone(p.follower) && !m.gone(p.author) })
	if !ok {
		m.follow()
		return
	}
	m.addPair(Unblock, p)
	if m.rng.IntN(2) == 0 && !m.asks(p) && !m.present.Apart(p.follower, p.author) {
		m.ask(p)
	}
}

// closing closes an account or a group. In every other case, it opens a closed one, if it finds one.
func (m *maker) closing() {
	u, open := m.followed(), m.rng.IntN(2) == 0
	for n := 0; n < tries && m.present.closed(u) != open; n++ {
		u = m.followed()
	}
	m.setClosed(u)
}

func (m *maker) setClosed(u string) {
	kind := Close
	if m.present.closed(u) {
		kind = Open
	}
	m.add(Op{Kind: kind, User: u})
}

// answer ends a request: in every other case it is accepted, otherwise declined or withdrawn.
func (m *maker) answer() {
	if p, ok := m.draw(&m.asked, m.asks); ok {
		m.answerWith(p, []Kind{Accept, Accept, Decline, Withdraw}[m.rng.IntN(4)])
		return
	}
	// Otherwise somebody asks, so that there are requests later.
	if p, ok := m.meet(tries, m.followed, func(p pair) bool { return m.present.closed(p.author) && m.mayAsk(p) }); ok {
		m.ask(p)
		return
	}
	m.follow()
}

// answerWith ends a request. A request is declined, not accepted, if one of the two blocks the other since.
func (m *maker) answerWith(p pair, kind Kind) {
	if kind == Accept && m.present.Apart(p.follower, p.author) {
		kind = Decline
	}
	if kind == Accept {
		m.pairs = append(m.pairs, p)
	}
	m.addPair(kind, p)
}

// join makes somebody follow u, or request to.
func (m *maker) join(u string) {
	if p, ok := m.meet(tries, func() string { return u }, func(p pair) bool { return m.mayAsk(p) && !m.back[p.follower] }); ok {
		m.ask(p)
	}
}

// deleteAccount deletes an account, a popular one in every fifth case. At most a quarter of all
// accounts are deleted.
func (m *maker) deleteAccount() {
	gone := 0
	for n := range max(m.Users, Groups) {
		if n < m.Users && m.gone(UserID(n)) {
			gone++
		}
		if n < Groups && m.gone(GroupID(n)) {
			gone++
		}
	}
	if gone >= m.Users/4 {
		return
	}
	u := m.account()
	if m.rng.IntN(5) == 0 {
		u = m.author()
	}
	if m.back[u] || u == m.early { // only once
		return
	}
	if !m.restricted && m.rng.IntN(2) == 0 {
		m.willReturn(u, len(m.ops)+m.rng.IntN(40))
	}
	m.forget(u)
}

// forget deletes an account. Its posts go with it.
func (m *maker) forget(u string) {
	m.live[u] = 0
	m.add(Op{Kind: DeleteAccount, User: u})
	delete(m.idle, u)
	m.posts = slices.DeleteFunc(m.posts, func(id string) bool { return m.present["posts/"+id] == nil })
}

// disband deletes a group, unless half of the groups are deleted.
func (m *maker) disband() {
	left := 0
	for n := range Groups {
		if !m.gone(GroupID(n)) {
			left++
		}
	}
	if left > Groups/2 {
		m.forget(m.group())
	}
}

// comingBack is an account that is created again.
type comingBack struct {
	user string
	at   int // after so many operations
}

// willReturn plans the return of an account after at operations.
func (m *maker) willReturn(u string, at int) {
	m.returns = append(m.returns, comingBack{u, at})
	slices.SortFunc(m.returns, func(a, b comingBack) int { return a.at - b.at })
}

// comeBack creates the accounts whose return is due.
func (m *maker) comeBack() {
	for len(m.returns) > 0 && m.returns[0].at <= len(m.ops) {
		u := m.returns[0].user
		m.returns = m.returns[1:]
		m.back[u] = true
		m.add(Op{Kind: Return, User: u})
	}
}
