package chaos

import (
	"cmp"
	"fmt"
	"time"
)

// at is a time that no other operation has.
func (m *maker) at() time.Time {
	epoch := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return epoch.Add(time.Duration(m.rng.IntN(int(cmp.Or(m.Span, 1_000_000*time.Minute)/time.Minute)))*time.Minute + time.Duration(len(m.ops))*time.Microsecond)
}

func (m *maker) text() string { return fmt.Sprintf("text of operation %d", len(m.ops)) }

func (m *maker) post() {
	u := m.author()
	for range tries {
		if m.live[u] < m.Posts {
			break
		}
		u = m.author()
	}
	if m.live[u] >= m.Posts {
		m.follow()
		return
	}
	p := m.send(ownPost{id: m.postID(), author: u})
	m.posts = append(m.posts, p)
	m.live[u]++
	m.add(Op{
		Kind: CreatePost, Author: u, Post: p.id, At: m.at(), Text: m.text(), Spared: m.back[u],
		Audience: p.audience, Old: p.old, To: p.to, PostKind: m.postKind(),
	})
}

// onPost calls do with the place of a post, or makes a post where there is none.
func (m *maker) onPost(do func(n int)) {
	if len(m.posts) == 0 {
		m.post()
		return
	}
	do(m.rng.IntN(len(m.posts)))
}

func (m *maker) redate() {
	m.onPost(func(n int) {
		m.add(Op{Kind: Redate, Author: m.posts[n].author, Post: m.posts[n].id, At: m.at(), Spared: m.back[m.posts[n].author]})
	})
}

func (m *maker) reword() {
	m.onPost(func(n int) {
		m.add(Op{Kind: Reword, Author: m.posts[n].author, Post: m.posts[n].id, Text: m.text(), Spared: m.back[m.posts[n].author]})
	})
}

func (m *maker) reassign() {
	to := m.author()
	m.onPost(func(n int) {
		p := &m.posts[n]
		if p.author == to || m.live[to] >= m.Posts || m.back[p.author] || m.back[to] || !m.mayName(to, p.to) {
			return
		}
		m.name(to, p.to)
		op := Op{Kind: Reassign, Author: p.author, NewAuthor: to, Post: p.id, To: p.to}
		// In every fourth case the audience stays another person's, and nobody gets the post.
		if p.audience == p.author && !p.old && m.rng.IntN(4) > 0 {
			p.audience, op.Audience = to, to
		}
		m.add(op)
		m.live[p.author]--
		m.live[to]++
		p.author = to
	})
}

func (m *maker) deletePost() {
	m.onPost(func(n int) {
		p := m.posts[n]
		m.add(Op{Kind: DeletePost, Author: p.author, Post: p.id})
		m.live[p.author]--
		m.posts[n] = m.posts[len(m.posts)-1]
		m.posts = m.posts[:len(m.posts)-1]
	})
}
