package chaos

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/schema"
)

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
		delete(m.deleted, u)
		m.back[u] = true
		m.add(Op{Kind: Return, User: u})
	}
}

// overwrites are the effects on the functions' two fields of a server that writes a whole user
// document. The server omits the fields, or has read the document before the newest index document was
// opened.
var overwrites = []string{"without the list", "with an older list"}

// overwrite adds such a write to a popular author's user document.
func (m *maker) overwrite() {
	u := m.author()
	delete(m.closed, u)
	m.add(Op{Kind: Overwrite, User: u, Text: overwrites[m.rng.IntN(len(overwrites))]})
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
	m.onPost(func(n int) {
		p := m.posts[n]
		m.add(Op{Kind: Remood, Author: p.author, Post: p.id, Text: name, Spared: m.back[p.author]})
	})
}

// names are kinds of ids that a client may choose for a post. Such an id may collide with another
// post, with another post's job, or with anything.
var names = []string{"over 64 bytes", "the hash of another's", "another's with a range's tail", "another's with a relation's tail"}

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

// kindOfName returns the kind in names of an id; "" for an ordinary one.
func kindOfName(id string) string {
	switch {
	case strings.HasSuffix(id, "~00001-"):
		return names[2]
	case strings.HasSuffix(id, "_00001"):
		return names[3]
	case len(id) == 43:
		return names[1]
	case len(id) > 64:
		return names[0]
	default:
		return ""
	}
}

// postID returns an id for the next post, an odd one in every sixth case.
func (m *maker) postID() string {
	plain := fmt.Sprintf("post-%05d", len(m.ops))
	if len(m.posts) == 0 || m.odd == "" && m.rng.IntN(6) > 0 {
		return m.named(plain)
	}
	kind := m.odd
	if kind == "" {
		kind = names[m.rng.IntN(len(names))]
	}
	other := m.posts[m.rng.IntN(len(m.posts))].id
	if kind == names[1] { // only a long id is hashed
		for n := len(m.posts) - 1; n >= 0 && kindOfName(other) != names[0]; n-- {
			other = m.posts[n].id
		}
	}
	id := nameOf(kind, other, len(m.ops))
	if m.ids[id] || kindOfName(id) != kind || len(id) > 1000 {
		return m.named(plain)
	}
	return m.named(id)
}

func (m *maker) named(id string) string {
	if m.ids == nil {
		m.ids = map[string]bool{}
	}
	m.ids[id] = true
	return id
}

// forbidden adds a write that the rules must reject.
func (m *maker) forbidden() { m.forbid(forbiddenWrites[m.rng.IntN(len(forbiddenWrites))].what) }

func (m *maker) forbid(what string) {
	m.onPost(func(n int) {
		p := m.posts[n]
		m.add(Op{Kind: Forbidden, User: p.author, Post: p.id, Text: what})
	})
}

// everything begins a run with one of each kind, so that no run is without.
func (m *maker) everything() {
	if m.Ops < ingredientsFrom {
		return
	}
	for _, m.odd = range names {
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
	m.tallyEverything()
	for _, name := range moodNames {
		m.mood(name)
	}
	for _, w := range forbiddenWrites {
		m.forbid(w.what)
	}
}

// toFollowed acts on popular accounts once they have followers, since acts on others would have no
// effect. Servers overwrite some of these. With at least 8 users, some are deleted, and return as soon
// as possible.
func (m *maker) toFollowed() {
	if m.Ops < ingredientsFrom {
		return
	}
	for _, what := range overwrites {
		u := m.author()
		delete(m.closed, u)
		m.add(Op{Kind: Overwrite, User: u, Text: what})
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

// ingredientsFrom is the number of operations from which a run has one of each ingredient.
const ingredientsFrom = 200

// ingredients counts the operations of each kind of mischief.
func ingredients(ops []Op) map[string]int {
	n := map[string]int{}
	n[string(Return)] = 0
	for _, what := range overwrites {
		n["overwrite "+what] = 0
	}
	for _, name := range names {
		n["post named "+name] = 0
	}
	for _, name := range moodNames {
		n["mood of "+name] = 0
	}
	for _, w := range forbiddenWrites {
		n["try: "+w.what] = 0
	}
	for _, kind := range audienceKinds {
		n[string(kind)] = 0
	}
	if slices.ContainsFunc(ops, func(op Op) bool { return op.Kind == Decide }) {
		for _, kind := range readerKinds {
			n[string(kind)] = 0
		}
	}
	if slices.ContainsFunc(ops, func(op Op) bool { return op.Kind == Like }) {
		for _, kind := range tallyKinds {
			n[string(kind)] = 0
		}
	}
	n["post to a group"], n["deleted group"] = 0, 0
	for _, op := range ops {
		switch op.Kind {
		case Return:
			n[string(Return)]++
		case Overwrite:
			n["overwrite "+op.Text]++
		case Readdress, Direct, Hide, Show, Close, Request, Withdraw, Decline, Accept,
			Rekind, Decide, See, Read, HidePost, UnhidePost, Comment, Uncomment, Like, Unlike:
			n[string(op.Kind)]++
		case CreatePost:
			if schema.IsGroup(op.Audience) {
				n["post to a group"]++
			}
			if kind := kindOfName(op.Post); kind != "" {
				n["post named "+kind]++
			}
		case Remood:
			n["mood of "+op.Text]++
		case Forbidden:
			n["try: "+op.Text]++
		case DeleteAccount:
			if schema.IsGroup(op.User) {
				n["deleted group"]++
			}
		case Follow, Unfollow, Block, Unblock, Redate, Reword, Reassign, DeletePost, Open, Rename:
			// These are not counted.
		}
	}
	return n
}
