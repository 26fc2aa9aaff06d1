package chaos

// mayAsk says whether somebody may follow, or ask to.
func (m *maker) mayAsk(p pair) bool {
	return p.follower != p.author && !m.follows[p] && !m.blocked[p] && !m.requests[p]
}

// ask is a follow, or a request for one if the account is closed.
func (m *maker) ask(p pair) {
	if !m.closed[p.author] {
		m.toggle(p)
		return
	}
	m.requests[p] = true
	m.asked = append(m.asked, p)
	m.add(Op{Kind: Request, User: p.follower, Author: p.author})
}

// closing closes an account or a group, or, in every other case in which it finds one,
// opens a closed one.
func (m *maker) closing() {
	u, open := m.followed(), m.rng.IntN(2) == 0
	for n := 0; n < tries && m.closed[u] != open; n++ {
		u = m.followed()
	}
	m.setClosed(u)
}

func (m *maker) setClosed(u string) {
	kind := Close
	if m.closed[u] {
		kind = Open
	}
	m.closed[u] = !m.closed[u]
	m.add(Op{Kind: kind, User: u})
}

// answer accepts a request in every other case; or it is declined or withdrawn.
func (m *maker) answer() {
	for len(m.asked) > 0 {
		n := m.rng.IntN(len(m.asked))
		p := m.asked[n]
		m.asked[n] = m.asked[len(m.asked)-1]
		m.asked = m.asked[:len(m.asked)-1]
		if m.requests[p] {
			m.answerWith(p, []Kind{Accept, Accept, Decline, Withdraw}[m.rng.IntN(4)])
			return
		}
	}
	for range tries { // so that there are requests
		if p := (pair{m.account(), m.followed()}); m.closed[p.author] && m.mayAsk(p) {
			m.ask(p)
			return
		}
	}
	m.follow()
}

// answerWith ends a request. One of somebody who was blocked since is not accepted.
func (m *maker) answerWith(p pair, kind Kind) {
	delete(m.requests, p)
	if kind == Accept && m.blocked[p] {
		kind = Decline
	}
	if kind == Accept {
		m.follows[p] = true
		m.pairs = append(m.pairs, p)
	}
	m.add(Op{Kind: kind, User: p.follower, Author: p.author})
}
