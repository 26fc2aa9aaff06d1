package chaos

import (
	"fmt"
	"time"

	"example.com/relationindex/schema"
)

// dated is a time that no other operation has. Unless ahead is 0, the real time is ahead after the
// moment of the operation, and at is an estimate.
type dated struct {
	at    time.Time
	ahead time.Duration
}

// createdAt returns the post's createdAt if the operation is done now.
func (o Op) createdAt(now time.Time) time.Time {
	if o.Ahead != 0 {
		return now.Truncate(time.Millisecond).Add(o.Ahead)
	}
	return o.At
}

// date returns a time for a post. Often it is now, or in the ten minutes before, where a follow made
// now has its margin. Otherwise it is long ago.
func (m *maker) date() dated {
	switch n := m.rng.IntN(8); {
	case n < 3:
		return m.now()
	case n < 5:
		return m.since(-time.Duration(1+m.rng.IntN(10*60)) * time.Second)
	case n == 5 && m.Horizon > 0:
		return dated{at: m.passing()}
	default:
		return dated{at: m.longAgo()}
	}
}

// now returns a time around now, by a clock that is up to four minutes ahead.
func (m *maker) now() dated { return m.since(time.Duration(m.rng.IntN(300)-60) * time.Second) }

// since returns a time that is after later than the operation.
func (m *maker) since(after time.Duration) dated {
	return dated{m.when(time.Duration(len(m.ops))*time.Second/perSecond + after), after + time.Duration(1+len(m.ops)%999)*time.Microsecond}
}

// longAgo returns a time within three weeks, but not in the last minutes.
func (m *maker) longAgo() time.Time {
	return m.when(-time.Duration(11+m.rng.IntN(21*24*60)) * time.Minute)
}

// passing returns a time that passes the horizon, or the time to delete a relation, within a minute.
func (m *maker) passing() time.Time {
	age := m.Horizon
	if m.rng.IntN(2) == 0 {
		age += schema.HorizonMargin
	}
	return m.when(time.Duration(len(m.ops))*time.Second/perSecond + time.Duration(m.rng.IntN(60))*time.Second - age)
}

// when returns a time after the epoch that no other operation has.
func (m *maker) when(after time.Duration) time.Time {
	epoch := m.Epoch
	if epoch.IsZero() {
		epoch = time.Date(2026, 1, 22, 0, 0, 0, 0, time.UTC)
	}
	return epoch.Add(after + time.Duration(len(m.ops))*time.Microsecond)
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
	m.postOf(u, m.date())
}

func (m *maker) postOf(u string, d dated) {
	p := m.send(ownPost{id: m.postID(), author: u})
	m.posts = append(m.posts, p)
	m.live[u]++
	m.add(Op{
		Kind: CreatePost, Author: u, Post: p.id, At: d.at, Ahead: d.ahead, Text: m.text(), Spared: m.back[u],
		Audience: p.audience, Old: p.old, To: p.to, PostKind: m.postKind(),
	})
}

// onPost calls do with the index of a post. If there is no post, it makes one instead.
func (m *maker) onPost(do func(n int)) {
	if len(m.posts) == 0 {
		m.post()
		return
	}
	do(m.rng.IntN(len(m.posts)))
}

func (m *maker) redate() {
	m.onPost(func(n int) {
		d := m.date()
		m.add(Op{Kind: Redate, Author: m.posts[n].author, Post: m.posts[n].id, At: d.at, Ahead: d.ahead, Spared: m.back[m.posts[n].author]})
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
		if p.author == to || m.live[to] >= m.Posts || m.back[p.author] || m.back[to] {
			return
		}
		op := Op{Kind: Reassign, Author: p.author, NewAuthor: to, Post: p.id, To: p.to}
		// In every fourth case the audience remains another account's followers, and nobody gets the post.
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
		m.forgetLikes(p.id)
		m.live[p.author]--
		m.posts[n] = m.posts[len(m.posts)-1]
		m.posts = m.posts[:len(m.posts)-1]
	})
}
