package chaos

import (
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/oracle"
)

// readerKinds are kinds of operations that each run has in which readers decide.
var readerKinds = []Kind{Rekind, Decide, See, Read, HidePost, UnhidePost}

// readerWeights are added to weights.
var readerWeights = []weight{
	{10, (*maker).rekind},
	{14, (*maker).decide},
	{12, (*maker).see},
	{6, (*maker).read},
	{14, (*maker).hidePost},
	{5, (*maker).unhidePost},
}

// postKinds are the kinds of posts; "": none. A kind may have a slash.
var postKinds = []string{"", "photo", "event", "poll/open"}

// These are values of See.
const (
	seenNow     = "now"
	seenLongAgo = "long ago"
)

// postKind returns the kind of a new post; "" unless readers decide.
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

// decides reports whether an account may decide. Every other account may, so that the rest show
// timelines without settings.
func decides(u string) bool {
	return strings.ContainsAny(u[len(u)-1:], "02468")
}

// decider returns an existing account that may decide, often a follower of somebody.
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

// decide sets the patterns that a reader hides and shows; in every third case none.
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

// pattern returns a pattern for all authors, or for one author, whom the reader follows if possible.
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
	if author == "*" || m.rng.IntN(2) == 0 { // a pattern of all authors and kinds would leave nothing
		kind = postKinds[m.rng.IntN(len(postKinds))]
	}
	return author + "/" + kind
}

// see makes a reader idle, or present again.
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

func (m *maker) read() { m.add(Op{Kind: Read, User: m.decider(), At: m.longAgo()}) }

// hidePost hides a post of an account that the reader follows, if there is one.
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

// comment adds a comment by a popular account, or in every other case by an account that a reader of
// the post follows. In every third case, the comment is for a group that the commenter follows.
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
		m.comments = append(m.comments, op)
	})
}

// decideEverything adds one of each kind, so that no run is without.
func (m *maker) decideEverything() {
	if m.Renames {
		m.rename()
		m.imported()
		m.postAfterFollow()
	}
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

// atRest returns what readers do when nothing is in flight. In before, some readers go away and others
// hide a post; some of these then hide all of its author. Comments lift a post of each reader. Then
// edits changes hidden and lifted posts, which must stay hidden and lifted. Last, in after, half of
// the absent readers return, and half of those who hide an author show the author again.
func atRest(o *oracle.Oracle, h *oracle.History, w Workload) (before, edits, after []Op) {
	edited := map[string]bool{}
	edit := func(p oracle.Post) {
		if !edited[p.ID] {
			edited[p.ID] = true
			edits = append(edits, Op{Kind: Reword, Author: p.Author, Post: p.ID, Text: "edited at the end"})
		}
	}
	n, hiders := 0, 0
	for u := range w.Users {
		reader := userID(u)
		if h.Fields("users/"+reader) == nil {
			continue
		}
		has := o.Reader(reader)
		posts := has.Sorted()
		if last := len(posts) - 1; last >= 0 && w.Comments {
			for _, author := range o.Follows(reader) {
				if !schema.IsGroup(author) && h.Fields("users/"+author) != nil {
					before = append(before, Op{Kind: Comment, User: author, Post: posts[last].ID, Text: "comment-for-" + reader})
					edit(posts[last])
					break
				}
			}
		}
		if !decides(reader) {
			continue
		}
		n++
		switch {
		case has.Idle:
			if n%2 == 0 {
				after = append(after, Op{Kind: See, User: reader, Text: seenNow})
			}
		case n%4 < 2:
			before = append(before, Op{Kind: See, User: reader, Text: seenLongAgo})
			if n%4 == 0 {
				after = append(after, Op{Kind: See, User: reader, Text: seenNow})
			}
		case len(posts) > 0:
			before = append(before, Op{Kind: HidePost, User: reader, Post: posts[0].ID})
			if hiders++; hiders%3 > 0 {
				before = append(before, Op{Kind: Decide, User: reader, Hide: []string{posts[0].Author + "/*"}})
				if hiders%3 == 1 {
					after = append(after, Op{Kind: Decide, User: reader})
				}
			} else {
				edit(posts[0])
			}
		}
	}
	return before, edits, after
}

// decision returns the fields that Decide, See, Read and HidePost merge into a document. A client
// writes an empty list for no patterns.
func (o Op) decision() map[string]any {
	switch o.Kind {
	case Decide:
		return map[string]any{"hide": append([]string{}, o.Hide...), "show": append([]string{}, o.Show...)}
	case See:
		if o.Text == seenLongAgo { // a server writes that, as time passes
			return map[string]any{"seenAt": time.Now().Add(-idleAfter - time.Hour)}
		}
		return map[string]any{"seenAt": firestore.ServerTimestamp}
	case Read:
		return map[string]any{"readAt": o.At}
	default:
		return now()
	}
}

// comment returns the document that Comment creates.
func (o Op) comment() map[string]any {
	data := now()
	data["userId"], data["text"] = o.User, "yes"
	if o.Audience != "" {
		data["audience"] = o.Audience
	}
	return data
}

// valueOf returns a text as a field's value; "": the field is deleted.
func valueOf(text string) any {
	if text == "" {
		return firestore.Delete
	}
	return text
}
