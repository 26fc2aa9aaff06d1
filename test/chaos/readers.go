package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// readerKinds are what each run has that readers decide in.
var readerKinds = []Kind{Rekind, Decide, See, Read, HidePost, UnhidePost}

// readerWeights are beside weights.
var readerWeights = []weight{
	{10, (*maker).rekind},
	{14, (*maker).decide},
	{12, (*maker).see},
	{6, (*maker).read},
	{14, (*maker).hidePost},
	{5, (*maker).unhidePost},
}

// postKinds are the kinds that posts have; "": none. A kind may have a slash.
var postKinds = []string{"", "photo", "event", "poll/open"}

// What See sets.
const (
	seenNow     = "now"
	seenLongAgo = "long ago"
)

// postKind is the kind of a new post; "" unless readers decide.
func (m *maker) postKind() string {
	if !m.Decides {
		return ""
	}
	return postKinds[m.rng.IntN(len(postKinds))]
}

func (m *maker) rekind() {
	m.onPost(func(n int) {
		p := m.posts[n]
		m.add(Op{Kind: Rekind, Author: p.author, Post: p.id, PostKind: m.postKind(), Spared: m.back[p.author]})
	})
}

// decides says whether an account may decide something: every other one does, so that the rest
// show what a timeline has without settings.
func decides(u string) bool {
	return strings.ContainsAny(u[len(u)-1:], "02468")
}

// decider is an account that is there and may decide, a follower of somebody most often.
func (m *maker) decider() string {
	for range tries {
		if p, ok := m.following(); ok && decides(p.follower) {
			return p.follower
		}
	}
	u := m.account()
	for range tries {
		if decides(u) {
			break
		}
		u = m.account()
	}
	return u
}

// decide sets what a reader hides and shows; in every third case nothing.
func (m *maker) decide() {
	u := m.decider()
	op := Op{Kind: Decide, User: u}
	if m.rng.IntN(3) > 0 {
		for range 1 + m.rng.IntN(3) {
			op.Hide = append(op.Hide, m.pattern(u))
		}
		for range m.rng.IntN(3) {
			op.Show = append(op.Show, m.pattern(u))
		}
	}
	m.add(op)
}

// pattern is about all, or about somebody whom the reader follows, if one is found.
func (m *maker) pattern(u string) string {
	author, kind := "*", "*"
	if m.rng.IntN(2) == 0 {
		author = m.author()
		for range 2 * tries {
			if p, ok := m.following(); ok && p.follower == u && !schema.IsGroup(p.author) {
				author = p.author
				break
			}
		}
	}
	if author == "*" || m.rng.IntN(2) == 0 { // all of everybody would leave nothing to see
		kind = postKinds[m.rng.IntN(len(postKinds))]
	}
	return author + "/" + kind
}

// see has a reader be idle, or return.
func (m *maker) see() {
	u := m.decider()
	m.idle[u] = !m.idle[u] && m.rng.IntN(3) > 0
	m.seen(u)
}

func (m *maker) seen(u string) {
	text := seenNow
	if m.idle[u] {
		text = seenLongAgo
	}
	m.add(Op{Kind: See, User: u, Text: text})
}

func (m *maker) read() { m.add(Op{Kind: Read, User: m.decider(), At: m.at()}) }

// hidePost hides a post of somebody whom the reader follows, if there is one.
func (m *maker) hidePost() {
	m.onPost(func(n int) {
		p := pair{m.decider(), m.posts[n].id}
		for range 3 * tries {
			n = m.rng.IntN(len(m.posts))
			if m.follows[pair{p.follower, m.posts[n].audience}] || m.follows[pair{p.follower, m.posts[n].author}] {
				p.author = m.posts[n].id
				break
			}
		}
		if m.hides[p] {
			return
		}
		m.hides[p] = true
		m.hidden = append(m.hidden, p)
		m.add(Op{Kind: HidePost, User: p.follower, Post: p.author})
	})
}

func (m *maker) unhidePost() {
	for len(m.hidden) > 0 {
		n := m.rng.IntN(len(m.hidden))
		p := m.hidden[n]
		m.hidden[n] = m.hidden[len(m.hidden)-1]
		m.hidden = m.hidden[:len(m.hidden)-1]
		if m.hides[p] && !m.deleted[p.follower] {
			delete(m.hides, p)
			m.add(Op{Kind: UnhidePost, User: p.follower, Post: p.author})
			return
		}
	}
	m.hidePost()
}

// comment is one by a popular account, or in every other case by somebody whom a reader of the post
// follows. It is for a group of theirs in every third.
func (m *maker) comment() {
	m.onPost(func(n int) {
		user := m.author()
		if p, ok := m.following(); ok && m.rng.IntN(2) == 0 {
			user = p.author
			for range tries {
				if m.follows[pair{p.follower, m.posts[n].audience}] {
					break
				}
				n = m.rng.IntN(len(m.posts))
			}
		}
		if schema.IsGroup(user) {
			user = m.author()
		}
		op := Op{Kind: Comment, User: user, Post: m.posts[n].id, Text: fmt.Sprintf("comment-%05d", len(m.ops))}
		if g := m.group(); m.rng.IntN(3) == 0 && m.follows[pair{op.User, g}] {
			op.Audience = g
		}
		m.add(op)
	})
}

// decideEverything has one of each, so that no run is without.
func (m *maker) decideEverything() {
	if !m.Decides {
		return
	}
	for _, do := range []func(*maker){(*maker).rekind, (*maker).decide, (*maker).read, (*maker).hidePost, (*maker).hidePost, (*maker).unhidePost} {
		do(m)
	}
	u := m.decider()
	for range 2 {
		m.idle[u] = !m.idle[u]
		m.seen(u)
	}
	if m.Comments {
		m.comment()
	}
}

// atRest are what readers do when nothing is in flight, so that a model can say what comes of it.
// First some go, some hide a post, and some of these all of its author then; comments lift a post of
// each reader. Then come posts. When all of that is done, posts that are hidden or lifted are edited,
// which leaves them so. An edit may bring a post to a ring that has lost it. So after all that, every
// other one of those who are away returns, and of those who hide an author. All are accounts that never
// went.
func atRest(ops []Op, w Workload) (before, edits, after []Op) {
	m := modelOf(ops)
	if w.Comments {
		before, edits = m.commentsAtRest(w.Users)
	}
	n, hiders := 0, 0
	for u := range w.Users {
		reader := userID(u)
		if !decides(reader) || m.deleted[reader] || m.back[reader] {
			continue
		}
		n++
		feed := m.Feed(reader)
		switch {
		case m.readers[reader].idle:
			if n%2 == 0 {
				after = append(after, Op{Kind: See, User: reader, Text: seenNow})
			}
		case n%4 < 2:
			before = append(before, Op{Kind: See, User: reader, Text: seenLongAgo})
			if n%4 == 0 {
				after = append(after, Op{Kind: See, User: reader, Text: seenNow})
			}
		case len(feed) > 0:
			post := m.posts[feed[0].Post]
			before = append(before, Op{Kind: HidePost, User: reader, Post: post.entry.Post})
			if hiders++; hiders%3 > 0 {
				before = append(before, Op{Kind: Decide, User: reader, Hide: []string{post.author + "/*"}})
				if hiders%3 == 1 {
					after = append(after, Op{Kind: Decide, User: reader})
				}
			} else if !m.back[post.author] {
				edits = append(edits, Op{Kind: Reword, Author: post.author, Post: post.entry.Post, Text: "edited for " + reader})
			}
		}
	}
	return before, edits, after
}

// commentsAtRest are comments that lift a post for a reader, and edits of these posts.
func (m *Model) commentsAtRest(users int) (comments, edits []Op) {
	edited := map[string]bool{}
	for u := range users {
		reader := userID(u)
		feed := m.Feed(reader)
		if m.deleted[reader] || m.back[reader] || len(feed) == 0 {
			continue
		}
		last := m.posts[feed[len(feed)-1].Post]
		for _, author := range slices.Sorted(maps.Keys(m.Follows[reader])) {
			if schema.IsGroup(author) || m.back[author] || m.back[last.author] {
				continue
			}
			comments = append(comments, Op{Kind: Comment, User: author, Post: last.entry.Post, Text: "comment-for-" + reader})
			if !edited[last.entry.Post] {
				edited[last.entry.Post] = true
				edits = append(edits, Op{Kind: Reword, Author: last.author, Post: last.entry.Post, Text: "edited at the end"})
			}
			break
		}
	}
	return comments, edits
}

// decision is what Decide, See, Read and HidePost merge into a document. A client makes a list
// empty.
func (o Op) decision() map[string]any {
	switch o.Kind {
	case Decide:
		return map[string]any{"hide": append([]string{}, o.Hide...), "show": append([]string{}, o.Show...)}
	case See:
		if o.Text == seenLongAgo { // a server, as time passes
			return map[string]any{"seenAt": time.Now().Add(-idleAfter - time.Hour)}
		}
		return map[string]any{"seenAt": firestore.ServerTimestamp}
	case Read:
		return map[string]any{"readAt": o.At}
	default:
		return now()
	}
}

// comment is the document that Comment creates.
func (o Op) comment() map[string]any {
	data := now()
	data["userId"], data["text"] = o.User, "yes"
	if o.Audience != "" {
		data["audience"] = o.Audience
	}
	return data
}

// valueOf is a text as a field's value; "": none.
func valueOf(text string) any {
	if text == "" {
		return firestore.Delete
	}
	return text
}

// decisions are what a reader has decided.
type decisions struct {
	hide, show []string
	idle       bool
	readAt     time.Time
	leftOut    bool // at some time, something was perhaps left out: a kind was hidden, or they were idle
}

// hides says whether the reader hides a kind of an author's posts. What is said of the author goes
// before what is said of all, then what is said of the kind before what is said of all.
func (d decisions) hides(author, kind string) bool {
	for _, a := range []string{author, "*"} {
		for _, k := range []string{kind, "*"} {
			if slices.Contains(d.hide, a+"/"+k) {
				return true
			}
			if slices.Contains(d.show, a+"/"+k) {
				return false
			}
		}
	}
	return false
}

// applyDecision does what op does to what its reader has decided.
func (m *Model) applyDecision(op Op) {
	d := m.readers[op.User]
	switch op.Kind {
	case Decide:
		d.hide, d.show = op.Hide, op.Show
	case See:
		d.idle = op.Text == seenLongAgo
	case Read:
		d.readAt = op.At
	case HidePost:
		if m.hidden[op.User] == nil {
			m.hidden[op.User] = map[string]bool{}
		}
		m.hidden[op.User][op.Post] = true
	case UnhidePost:
		delete(m.hidden[op.User], op.Post)
	default:
		panic("chaos: " + op.Kind + " decides nothing")
	}
	d.leftOut = d.leftOut || d.idle || len(d.hide) > 0
	m.readers[op.User] = d
}
