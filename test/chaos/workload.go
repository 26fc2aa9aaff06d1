package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/relationindex/schema"
)

// Workload describes the operations of a run. Equal workloads make equal operations.
type Workload struct {
	Seed  uint64
	Ops   int // at least so many
	Users int // at least 2
	// Posts is the most posts of an author at a time. The cost of a follow grows with it.
	Posts int
	// Epoch is the time at which the operations begin. Posts are from then, from the minutes before, and
	// from the three weeks before those. Zero: 2026.
	Epoch time.Time
	// Horizon makes many posts pass it, or lose their relations, during the operations; 0: no posts are
	// dated for that.
	Horizon time.Duration
	// Renames makes people change their names, which posts copy.
	Renames bool
	// Blocks makes readers block accounts that have sent them a post, again and again.
	Blocks bool
	// Decides gives posts kinds. Readers hide and show kinds, hide posts, read, and are idle for a time.
	Decides bool
	// Comments makes people comment on posts.
	Comments bool
	// Tallies makes people like posts, comment on them, and undo both.
	Tallies bool
}

// weight is how often an operation is begun, relative to the sum of all weights.
type weight struct {
	n     int
	begin func(*maker)
}

// weights give about 30 % follows, 20 % unfollows, 25 % parts of a flip-flop, 10 % changes of
// audiences, 9 % requests, and 4 % blocks. That includes the follows that replace impossible
// operations.
var weights = []weight{
	{60, (*maker).follow},
	{24, (*maker).unfollow},
	{12, (*maker).flipFlop},
	{6, (*maker).block},
	{4, (*maker).unblock},
	{34, (*maker).post},
	{10, (*maker).redate},
	{14, (*maker).reword},
	{8, (*maker).reassign},
	{14, (*maker).deletePost},
	{1, (*maker).deleteAccount},
	{5, (*maker).overwrite},
	{6, (*maker).remood},
	{5, (*maker).forbidden},
	{8, (*maker).readdress},
	{6, (*maker).direct},
	{7, (*maker).hide},
	{3, (*maker).closing},
	{10, (*maker).answer},
	{1, (*maker).disband},
}

// weights returns the weights of the workload.
func (w Workload) weights() []weight {
	all := slices.Clone(weights)
	if w.Decides {
		all = append(all, readerWeights...)
	}
	if w.Comments {
		all = append(all, weight{20, (*maker).comment})
	}
	if w.Tallies {
		all = append(all, tallyWeights...)
	}
	if w.Renames {
		all = append(all, weight{3, (*maker).rename}, weight{12, (*maker).postAfterFollow}, weight{10, (*maker).imported})
	}
	if w.Blocks {
		all = append(all, weight{16, (*maker).blockSender}, weight{16, (*maker).unblock})
	}
	return all
}

// Operations returns the operations in their order. Operations on one document are applied in this
// order. The deletion of an account is applied after all earlier operations that name the account. No
// later one names it, unless the account returns.
func (w Workload) Operations() []Op {
	rng := rand.New(rand.NewPCG(w.Seed, 0)) //nolint:gosec // has to repeat
	m := &maker{
		Workload: w, rng: rng, follows: map[pair]bool{}, blocked: map[pair]bool{}, live: map[string]int{}, deleted: map[string]bool{}, back: map[string]bool{},
		closed: map[string]bool{}, requests: map[pair]bool{},
		idle: map[string]bool{}, hides: map[pair]bool{}, likes: map[pair]bool{},
	}
	// With 200 accounts, the first is chosen in every fifth case, and one of the first ten in two of
	// three.
	m.popular = rand.NewZipf(rng, 1.5, 2, uint64(w.Users-1)) //nolint:gosec // not negative
	weights := w.weights()
	total := 0
	for _, weight := range weights {
		total += weight.n
	}
	for range w.Ops / 10 {
		m.post() // so that the first follows bring something
	}
	m.everything()
	for halfway := false; len(m.ops) < w.Ops; {
		if !halfway && len(m.ops) >= w.Ops/2 {
			halfway = true
			m.toFollowed()
		}
		m.comeBack()
		at := rng.IntN(total)
		for _, weight := range weights {
			if at -= weight.n; at < 0 {
				weight.begin(m)
				break
			}
		}
	}
	for len(m.returns) > 0 {
		m.returns[0].at = 0
		m.comeBack()
	}
	m.toAudiences()
	return m.ops
}

// pair is "follower follows author".
type pair struct{ follower, author string }

// ownPost is a post with its author and audience.
type ownPost struct {
	id, author, audience string
	to                   []string
	old, hidden          bool
}

// maker makes operations that clients could make, and so keeps their present data.
type maker struct {
	Workload
	rng     *rand.Rand
	popular *rand.Zipf

	ops     []Op
	follows map[pair]bool
	pairs   []pair // the keys of follows, and some former ones
	blocked map[pair]bool
	blocks  []pair // the keys of blocked, and some former ones
	posts   []ownPost
	live    map[string]int // number of each author's posts
	deleted map[string]bool
	back    map[string]bool
	returns []comingBack

	early    string          // the author of the early posts
	closed   map[string]bool // accounts whose follows need a request
	requests map[pair]bool
	asked    []pair // the keys of requests, and some former ones

	idle   map[string]bool // readers who have been away for long
	hides  map[pair]bool   // reader and post
	hidden []pair          // the keys of hides, and some former ones

	likes    map[pair]bool // account and post
	liked    []pair        // the keys of likes, and some former ones
	comments []Op          // their operations, and those of some deleted comments

	odd string          // the kind of name that the next posts have; "": by chance
	ids map[string]bool // of posts, including deleted ones
}

func (m *maker) add(op Op) { m.ops = append(m.ops, op) }

// tries is the number of random tries before something else is done.
const tries = 20

// author returns an existing account, a popular one more often.
func (m *maker) author() string {
	for {
		if u := userID(int(m.popular.Uint64())); !m.deleted[u] { //nolint:gosec // below Users
			return u
		}
	}
}

// account returns an existing account.
func (m *maker) account() string {
	for {
		if u := userID(m.rng.IntN(m.Users)); !m.deleted[u] {
			return u
		}
	}
}

func (m *maker) follow() {
	for range tries {
		p := pair{m.account(), m.followed()}
		if m.mayAsk(p) {
			m.ask(p)
			return
		}
	}
}

// imported adds a follow with an older date, as a server imports it.
func (m *maker) imported() {
	for range tries {
		if p := (pair{m.account(), m.followed()}); m.mayAsk(p) {
			m.follows[p] = true
			m.pairs = append(m.pairs, p)
			m.add(Op{Kind: Follow, User: p.follower, Author: p.author, At: m.longAgo()})
			return
		}
	}
}

// postAfterFollow adds a follow, and right after it a post of the followed account.
func (m *maker) postAfterFollow() {
	for range tries {
		u := m.author()
		if p := (pair{m.account(), u}); m.mayAsk(p) && !m.closed[u] && m.live[u] < m.Posts {
			m.toggle(p)
			m.postOf(u, m.now())
			return
		}
	}
	m.follow()
}

// rename changes the name of an account with posts.
func (m *maker) rename() {
	m.onPost(func(n int) {
		u := m.posts[n].author
		m.add(Op{Kind: Rename, User: u, Text: fmt.Sprintf("name of operation %d", len(m.ops)), Spared: m.back[u]})
	})
}

// following returns one of the follows.
func (m *maker) following() (pair, bool) {
	for range tries {
		if len(m.pairs) == 0 {
			break
		}
		n := m.rng.IntN(len(m.pairs))
		if p := m.pairs[n]; m.follows[p] {
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
	if p.follower == p.author || m.apart(p) || m.closed[p.author] || m.requests[p] {
		return
	}
	for range 3 + m.rng.IntN(7) {
		m.toggle(p)
	}
}

// apart reports whether one of two accounts blocks the other. Then neither follows the other.
func (m *maker) apart(p pair) bool { return m.blocked[p] || m.blocked[pair{p.author, p.follower}] }

// block ends a follow, and prevents a new one.
func (m *maker) block() {
	p, ok := m.following()
	if !ok || schema.IsGroup(p.author) {
		m.follow()
		return
	}
	m.blockPair(p)
}

// blockSender adds a block of an author by a reader whom a post of theirs names.
func (m *maker) blockSender() {
	for range tries {
		if len(m.posts) == 0 {
			break
		}
		post := m.posts[m.rng.IntN(len(m.posts))]
		for _, r := range post.to {
			if p := (pair{post.author, r}); r != post.author && !m.blocked[p] && !m.deleted[r] && !m.requests[p] {
				m.blockPair(p)
				return
			}
		}
	}
	m.direct()
}

// blockPair ends both follows.
func (m *maker) blockPair(p pair) {
	delete(m.follows, p)
	delete(m.follows, pair{p.author, p.follower})
	m.blocked[p] = true
	m.blocks = append(m.blocks, p)
	m.add(Op{Kind: Block, User: p.follower, Author: p.author})
}

// unblock ends a block. In every other case, the follower follows again at once.
func (m *maker) unblock() {
	for len(m.blocks) > 0 {
		n := m.rng.IntN(len(m.blocks))
		p := m.blocks[n]
		m.blocks[n] = m.blocks[len(m.blocks)-1]
		m.blocks = m.blocks[:len(m.blocks)-1]
		if !m.blocked[p] || m.deleted[p.follower] || m.deleted[p.author] {
			continue
		}
		delete(m.blocked, p)
		m.add(Op{Kind: Unblock, User: p.follower, Author: p.author})
		if m.rng.IntN(2) == 0 && !m.requests[p] && !m.apart(p) {
			m.ask(p)
		}
		return
	}
	m.follow()
}

// toggle makes a follow, or deletes it if it exists.
func (m *maker) toggle(p pair) {
	kind := Unfollow
	if m.follows[p] {
		delete(m.follows, p)
	} else {
		kind = Follow
		m.follows[p] = true
		m.pairs = append(m.pairs, p)
	}
	m.add(Op{Kind: kind, User: p.follower, Author: p.author})
}

// deleteAccount deletes an account, a popular one in every fifth case. At most a quarter of all
// accounts are deleted.
func (m *maker) deleteAccount() {
	if len(m.deleted) >= m.Users/4 {
		return
	}
	u := m.account()
	if m.rng.IntN(5) == 0 {
		u = m.author()
	}
	if m.back[u] || u == m.early { // only once
		return
	}
	if m.rng.IntN(2) == 0 {
		m.willReturn(u, len(m.ops)+m.rng.IntN(40))
	}
	m.forget(u)
}

// forget deletes an account and its data.
func (m *maker) forget(u string) {
	m.live[u] = 0
	m.add(Op{Kind: DeleteAccount, User: u})
	m.deleted[u] = true
	// Blocks stay: they belong to the other account, and a returned account may still have its own.
	for p := range m.follows { // in any order: each is only forgotten
		if p.follower == u || p.author == u {
			delete(m.follows, p)
		}
	}
	for p := range m.requests {
		if p.follower == u || p.author == u {
			delete(m.requests, p)
		}
	}
	delete(m.closed, u)
	delete(m.idle, u)
	m.forgetLikes(u)
	for p := range m.hides {
		if p.follower == u {
			delete(m.hides, p)
		}
	}
	kept := m.posts[:0]
	for _, p := range m.posts {
		if p.author == u {
			m.forgetLikes(p.id)
		} else {
			p.to = slices.DeleteFunc(slices.Clone(p.to), func(r string) bool { return r == u })
			kept = append(kept, p)
		}
	}
	m.posts = kept
}
