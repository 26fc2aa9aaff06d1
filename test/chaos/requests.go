package chaos

// mayAsk reports whether an account may follow another, or request to.
func (m *maker) mayAsk(p pair) bool {
	return p.follower != p.author && !m.follows[p] && !m.apart(p) && !m.requests[p]
}

// ask adds a follow, or a request for one if the account is closed.
func (m *maker) ask(p pair) {
	if !m.closed[p.author] {
		m.toggle(p)
		return
	}
	m.requests[p] = true
	m.asked = append(m.asked, p)
	m.add(Op{Kind: Request, User: p.follower, Author: p.author})
}

// closing closes an account or a group. In every other case, it opens a closed one, if it finds one.
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

// answer ends a request: in every other case it is accepted, otherwise declined or withdrawn.
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
	for range tries { // so that there are requests later
		if p := (pair{m.account(), m.followed()}); m.closed[p.author] && m.mayAsk(p) {
			m.ask(p)
			return
		}
	}
	m.follow()
}

// answerWith ends a request. A request is declined, not accepted, if one of the two blocks the other since.
func (m *maker) answerWith(p pair, kind Kind) {
	delete(m.requests, p)
	if kind == Accept && m.apart(p) {
		kind = Decline
	}
	if kind == Accept {
		m.follows[p] = true
		m.pairs = append(m.pairs, p)
	}
	m.add(Op{Kind: kind, User: p.follower, Author: p.author})
}
