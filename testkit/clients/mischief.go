package clients

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/schema"
)

// overwrites are the effects on the functions' two fields of a server that writes a whole user
// document. The server omits the fields, or has read the document before the newest index document was
// opened.
var overwrites = []string{"without the list", WithOlderList}

// WithOlderList is the Text of an Overwrite that brings back an older list of index documents.
const WithOlderList = "with an older list"

// overwrite adds such a write to a popular author's user document.
func (m *maker) overwrite() {
	m.add(Op{Kind: Overwrite, User: m.author(), Text: overwrites[m.rng.IntN(len(overwrites))]})
}

// moods are values of a copied field that a client may choose.
var moods = map[string]any{
	"NaN":          math.NaN(),
	"a nested NaN": map[string]any{"is": []any{math.NaN(), map[string]any{"a": math.NaN()}}},
	tooMany:        manyStrings(19_950),
	"odd names":    map[string]any{"a.b": 1, "`": 2, "é/": 3, " ": 4},
	"a text":       "well",
}

// tooMany is more than relations copy: they have no copied field of such a post.
const tooMany = "19,950 strings"

// manyStrings returns n different strings. A post has room for the index entries of 19,950 strings. A
// relation with two followers has not.
func manyStrings(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strconv.FormatInt(int64(i), 36)
	}
	return all
}

// moodNames are the names of moods, in a fixed order.
var moodNames = []string{"NaN", "a nested NaN", tooMany, "odd names", "a text"}

func (m *maker) remood() { m.mood(moodNames[m.rng.IntN(len(moodNames))]) }

func (m *maker) mood(name string) {
	m.onPost(func(post string) { m.edit(Op{Kind: Remood, Text: name}, post) })
}

// oddNames are kinds of ids that a client may choose for a post. Such an id may collide with another
// post, with another post's job, or with anything.
var oddNames = []string{"over 64 bytes", "the hash of another's", "another's with a range's tail", "another's with a relation's tail"}

// nameOf returns an id of one of these kinds. other is the id of an existing post.
func nameOf(kind, other string, n int) string {
	switch kind {
	case "over 64 bytes":
		return fmt.Sprintf("post-%05d-%s", n, strings.Repeat("p", 60))
	case "the hash of another's":
		sum := sha256.Sum256([]byte(other))
		return base64.RawURLEncoding.EncodeToString(sum[:])
	case "another's with a range's tail":
		return other + "~00001-"
	default:
		return other + "_00001"
	}
}

// kindOfName returns the kind in oddNames of an id; "" for an ordinary one.
func kindOfName(id string) string {
	switch {
	case strings.HasSuffix(id, "~00001-"):
		return oddNames[2]
	case strings.HasSuffix(id, "_00001"):
		return oddNames[3]
	case len(id) == 43:
		return oddNames[1]
	case len(id) > 64:
		return oddNames[0]
	default:
		return ""
	}
}

// postID returns an id for the next post, an odd one in every sixth case.
func (m *maker) postID() string {
	plain := fmt.Sprintf("post-%05d", len(m.ops))
	if m.restricted {
		if n := len(m.deleted); n > 0 && m.rng.IntN(2) == 0 { // a deleted post returns
			plain, m.deleted = m.deleted[n-1], m.deleted[:n-1]
		}
		return plain
	}
	if len(m.posts) == 0 || m.odd == "" && m.rng.IntN(6) > 0 {
		return m.named(plain)
	}
	kind := m.odd
	if kind == "" {
		kind = oddNames[m.rng.IntN(len(oddNames))]
	}
	other := m.posts[m.rng.IntN(len(m.posts))]
	if kind == oddNames[1] { // only a long id is hashed
		for n := len(m.posts) - 1; n >= 0 && kindOfName(other) != oddNames[0]; n-- {
			other = m.posts[n]
		}
	}
	id := nameOf(kind, other, len(m.ops))
	if m.ids[id] || kindOfName(id) != kind || len(id) > 1000 {
		return m.named(plain)
	}
	return m.named(id)
}

func (m *maker) named(id string) string {
	m.ids[id] = true
	return id
}

// forbidden adds a write that the rules must reject.
func (m *maker) forbidden() { m.forbid(forbidden[m.rng.IntN(len(forbidden))].what) }

func (m *maker) forbid(what string) {
	m.onPost(func(post string) {
		m.add(Op{Kind: Forbidden, User: m.authorOf(post), Post: post, Text: what})
	})
}

// everything begins a run with one of each kind, so that no run is without.
func (m *maker) everything() {
	if m.Ops < IngredientsFrom {
		return
	}
	for _, m.odd = range oddNames {
		for range tries {
			if n := len(m.ops); n > 0 {
				m.post()
			}
			if last := m.ops[len(m.ops)-1]; kindOfName(last.Post) == m.odd {
				break
			}
		}
	}
	m.odd = ""
	m.earlyPosts()
	m.decideEverything()
	if m.Tallies {
		m.like()
		m.unlike()
		m.comment()
		m.uncomment()
	}
	for _, name := range moodNames {
		m.mood(name)
	}
	for _, w := range forbidden {
		m.forbid(w.what)
	}
}

// decideEverything adds one of each kind of decision.
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

// toFollowed acts on popular accounts once they have followers, since acts on others would have no
// effect. Servers overwrite some of these. With at least 8 users, some are deleted, and return as soon
// as possible.
func (m *maker) toFollowed() {
	if m.restricted || m.Ops < IngredientsFrom {
		return
	}
	for _, what := range overwrites {
		m.add(Op{Kind: Overwrite, User: m.author(), Text: what})
	}
	if m.Users < 8 {
		return
	}
	for range 3 {
		u := m.author()
		for n := 0; (m.back[u] || u == m.early) && n < tries; n++ {
			u = m.account()
		}
		if m.back[u] || u == m.early { // all were back already
			return
		}
		m.willReturn(u, len(m.ops))
		m.forget(u)
	}
}

// toAudiences ends a run with changes of audiences of accounts with followers. Nothing later hides the effects in feeds.
func (m *maker) toAudiences() {
	if m.Ops < IngredientsFrom {
		return
	}
	m.readdress()
	m.direct()
	m.onPost(func(post string) {
		m.toggleHidden(post)
		m.toggleHidden(post)
	})
	u := m.followed()
	if !m.present.closed(u) {
		m.setClosed(u)
	}
	for _, kind := range []Kind{Accept, Decline, Withdraw} {
		if p, ok := m.meet(10*tries, func() string { return u }, m.mayAsk); ok {
			m.ask(p)
			m.answerWith(p, kind)
		}
	}
	m.disband()
	m.changeEarlyPosts()
	m.decideEverything()
}

// LateGroup is a group that has a post at the beginning, and gets followers only at the end.
var LateGroup = GroupID(Groups)

// The early account is not deleted. Its posts do not change until the end.
const (
	earlyPost   = "early-post"
	toLateGroup = "early-post-to-late-group"
	earlyToSome = "early-post-to-some"
)

// earlyPosts makes these posts, and followers of their author.
func (m *maker) earlyPosts() {
	u := m.account()
	for n := 0; n < tries && m.live[u]+3 > m.Posts; n++ {
		u = m.account()
	}
	if m.live[u]+3 > m.Posts {
		return
	}
	m.early = u
	m.live[u] += 3
	to := slices.Concat(m.recipients(u), m.recipients(u), m.recipients(u))
	for _, op := range []Op{{Post: earlyPost, Audience: u}, {Post: toLateGroup, Audience: LateGroup}, {Post: earlyToSome, To: to}} {
		d := m.date()
		op.Kind, op.Author, op.At, op.Ahead, op.Text = CreatePost, u, d.at, d.ahead, m.text()
		m.named(op.Post)
		m.add(op)
	}
	for range 4 {
		m.join(u)
	}
}

// changeEarlyPosts moves a post from its readers to a group, hides one from the readers whom it names,
// and gives LateGroup a follower, who must find the group's post.
func (m *maker) changeEarlyPosts() {
	g := m.group()
	m.join(g)
	if m.early != "" {
		m.add(Op{Kind: Readdress, Author: m.early, Post: earlyPost, Audience: g})
		m.add(Op{Kind: Hide, Author: m.early, Post: earlyToSome})
	}
	m.join(LateGroup)
}

// IngredientsFrom is the number of operations from which a run has one of each ingredient.
const IngredientsFrom = 200

// Lacking returns the kinds of mischief that a run must have, and of which its operations have none.
func (w Workload) Lacking(ops []Op) []string {
	lacks := map[string]bool{"post to a group": true, "deleted group": true}
	want := func(before string, all ...string) {
		for _, what := range all {
			lacks[before+what] = true
		}
	}
	for _, kind := range []Kind{Return, Readdress, Direct, Hide, Show, Close, Request, Withdraw, Decline, Accept} {
		want("", string(kind))
	}
	if w.Decides {
		for _, weight := range readerWeights {
			want("", string(weight.kind))
		}
	}
	if w.Tallies {
		want("", string(Like), string(Unlike), string(Comment), string(Uncomment))
	}
	want(string(Overwrite)+" ", overwrites...)
	want(string(Remood)+" ", moodNames...)
	want("post named ", oddNames...)
	for _, f := range forbidden {
		want(string(Forbidden)+" ", f.what)
	}
	for _, op := range ops {
		delete(lacks, string(op.Kind))
		delete(lacks, string(op.Kind)+" "+op.Text)
		switch {
		case op.Kind == CreatePost:
			if delete(lacks, "post named "+kindOfName(op.Post)); schema.IsGroup(op.Audience) {
				delete(lacks, "post to a group")
			}
		case op.Kind == DeleteAccount && schema.IsGroup(op.User):
			delete(lacks, "deleted group")
		}
	}
	return slices.Sorted(maps.Keys(lacks))
}
