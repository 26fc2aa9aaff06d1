package clients

import (
	"fmt"
	"slices"
	"time"

	"example.com/relationindex/schema"
)

// dated is a time that no other operation has. Unless ahead is 0, the real time is ahead after the
// moment of the operation, and at is an estimate.
type dated struct {
	at    time.Time
	ahead time.Duration
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
	return dated{m.when(time.Duration(len(m.ops))*time.Second/PerSecond + after), after + time.Duration(1+len(m.ops)%999)*time.Microsecond}
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
	return m.when(time.Duration(len(m.ops))*time.Second/PerSecond + time.Duration(m.rng.IntN(60))*time.Second - age)
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

func (m *maker) authorOf(post string) string { return m.present.text(post, "userId") }

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

// postOf adds a post to the author's followers, a group or nobody, and in every fourth case to some people.
func (m *maker) postOf(u string, d dated) {
	op := Op{Kind: CreatePost, Author: u, Post: m.postID(), At: d.at, Ahead: d.ahead, Text: m.text(), Spared: m.back[u], Audience: u}
	switch n := m.rng.IntN(10); {
	case n < 3:
		op.Audience, op.Old = "", true
	case n < 5:
		op.Audience = m.group()
	case n < 6:
		op.Audience = ""
	}
	if m.rng.IntN(4) == 0 {
		op.To = m.recipients(u)
	}
	op.PostKind = m.postKind()
	m.posts = append(m.posts, op.Post)
	m.live[u]++
	m.add(op)
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
		if p.follower == u && m.blocked(p) && !m.gone(p.author) {
			blockers = append(blockers, p.author)
		}
	}
	return blockers
}

// onPost calls do with a post. If there is no post, it makes one instead.
func (m *maker) onPost(do func(post string)) {
	if len(m.posts) == 0 {
		m.post()
		return
	}
	do(m.posts[m.rng.IntN(len(m.posts))])
}

// edit adds an operation on a post, by its author.
func (m *maker) edit(op Op, post string) {
	op.Post, op.Author = post, m.authorOf(post)
	op.Spared = m.back[op.Author]
	m.add(op)
}

func (m *maker) redate() {
	m.onPost(func(post string) {
		d := m.date()
		m.edit(Op{Kind: Redate, At: d.at, Ahead: d.ahead}, post)
	})
}

func (m *maker) reword() {
	m.onPost(func(post string) { m.edit(Op{Kind: Reword, Text: m.text()}, post) })
}

func (m *maker) reassign() {
	to := m.author()
	m.onPost(func(post string) {
		author := m.authorOf(post)
		if author == to || m.live[to] >= m.Posts || m.back[author] || m.back[to] {
			return
		}
		op := Op{Kind: Reassign, NewAuthor: to, To: m.present.names(post)}
		// In every fourth case the audience remains another account's followers, and nobody gets the post.
		if m.present.text(post, "audience") == author && (m.restricted || m.rng.IntN(4) > 0) {
			op.Audience = to
		}
		m.edit(op, post)
		m.live[author]--
		m.live[to]++
	})
}

func (m *maker) deletePost() {
	m.onPost(func(post string) {
		author, n := m.authorOf(post), slices.Index(m.posts, post)
		m.add(Op{Kind: DeletePost, Author: author, Post: post})
		m.deleted = append(m.deleted, post)
		m.live[author]--
		m.posts[n] = m.posts[len(m.posts)-1]
		m.posts = m.posts[:len(m.posts)-1]
	})
}

// readdress sets a post's audience.
func (m *maker) readdress() {
	m.onPost(func(post string) {
		op := Op{Kind: Readdress}
		switch m.rng.IntN(4) {
		case 0:
			op.Audience = m.authorOf(post)
		case 1, 2:
			op.Audience = m.group()
		}
		m.edit(op, post)
	})
}

// direct sets the readers that a post names; in every third case none.
func (m *maker) direct() {
	m.onPost(func(post string) {
		op := Op{Kind: Direct}
		if m.rng.IntN(3) > 0 {
			op.To = m.recipients(m.authorOf(post))
		}
		m.edit(op, post)
	})
}

// hide hides a post. In every other case in which it finds a hidden one, it shows that one instead.
func (m *maker) hide() {
	m.onPost(func(post string) {
		show := m.rng.IntN(2) == 0
		for range tries {
			if m.isHidden(post) == show {
				break
			}
			post = m.posts[m.rng.IntN(len(m.posts))]
		}
		m.toggleHidden(post)
	})
}

func (m *maker) isHidden(post string) bool { return m.present["posts/"+post]["hidden"] == true }

func (m *maker) toggleHidden(post string) {
	kind := Hide
	if m.isHidden(post) {
		kind = Show
	}
	m.edit(Op{Kind: kind}, post)
}
