package clients

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Workload describes random operations. Equal workloads make equal operations.
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

// PerSecond is the number of operations begun in a second, by which a workload dates them.
const PerSecond = 40

// weight is how often an operation is begun, relative to the sum of all weights.
type weight struct {
	n     int
	kind  Kind
	begin func(*maker)
}

// weights give about 30 % follows, 20 % unfollows, 25 % parts of a flip-flop, 10 % changes of
// audiences, 9 % requests, and 4 % blocks. That includes the follows that replace impossible
// operations.
var weights = []weight{
	{60, Follow, (*maker).follow},
	{24, Unfollow, (*maker).unfollow},
	{12, flips, (*maker).flipFlop},
	{6, Block, (*maker).block},
	{4, Unblock, (*maker).unblock},
	{34, CreatePost, (*maker).post},
	{10, Redate, (*maker).redate},
	{14, Reword, (*maker).reword},
	{8, Reassign, (*maker).reassign},
	{14, DeletePost, (*maker).deletePost},
	{1, DeleteAccount, (*maker).deleteAccount},
	{5, Overwrite, (*maker).overwrite},
	{6, Remood, (*maker).remood},
	{5, Forbidden, (*maker).forbidden},
	{8, Readdress, (*maker).readdress},
	{6, Direct, (*maker).direct},
	{7, Hide, (*maker).hide},
	{3, Close, (*maker).closing},
	{10, Accept, (*maker).answer},
	{1, disbands, (*maker).disband},
}

// These are no kinds of operations, but names of weights.
const (
	flips    Kind = "flip-flop"
	disbands Kind = "disband"
	senders  Kind = "block a sender"
)

// readerWeights are added to weights if readers decide.
var readerWeights = []weight{
	{10, Rekind, (*maker).rekind},
	{14, Decide, (*maker).decide},
	{12, See, (*maker).see},
	{6, Read, (*maker).read},
	{14, HidePost, (*maker).hidePost},
	{5, UnhidePost, (*maker).unhidePost},
}

// tallyWeights are added to weights with Tallies. Half of a run's operations are likes, and every fourth like is
// undone.
var tallyWeights = []weight{
	{180, Like, (*maker).like},
	{60, Unlike, (*maker).unlike},
	{40, Comment, (*maker).comment},
	{16, Uncomment, (*maker).uncomment},
	{12, Block, (*maker).blockActor},
}

// weights returns the weights of the workload.
func (w Workload) weights() []weight {
	all := slices.Clone(weights)
	if w.Decides {
		all = append(all, readerWeights...)
	}
	if w.Comments {
		all = append(all, weight{20, Comment, (*maker).comment})
	}
	if w.Tallies {
		all = append(all, tallyWeights...)
	}
	if w.Renames {
		all = append(all, weight{3, Rename, (*maker).rename}, weight{12, CreatePost, (*maker).postAfterFollow}, weight{10, Follow, (*maker).imported})
	}
	if w.Blocks {
		all = append(all, weight{16, senders, (*maker).blockSender}, weight{16, Unblock, (*maker).unblock})
	}
	return all
}

// Operations returns the operations in their order. Operations on one document are applied in this
// order. The deletion of an account is applied after all earlier operations that name the account. No
// later one names it, unless the account returns.
func (w Workload) Operations() []Op {
	m := w.maker()
	for range w.Ops / 10 {
		m.post() // so that the first follows bring something
	}
	m.everything()
	m.fill(w.weights())
	for len(m.returns) > 0 {
		m.returns[0].at = 0
		m.comeBack()
	}
	m.toAudiences()
	return m.ops
}

// Restricted returns operations of what a delivery sees: follows, blocks, posts, the deletion of accounts and groups, and,
// if the workload has them, readers' decisions and comments. Accounts are deleted more often, and do not return; deleted
// posts do.
func (w Workload) Restricted() []Op {
	m := w.maker()
	m.restricted = true
	for range w.Ops / 10 {
		m.post()
	}
	weights := slices.DeleteFunc(w.weights(), func(w weight) bool {
		return slices.Contains([]Kind{Overwrite, Remood, Forbidden, Close, Accept, Read, Rename}, w.kind)
	})
	m.fill(append(weights, weight{4, DeleteAccount, (*maker).deleteAccount}, weight{4, disbands, (*maker).disband}))
	return m.ops
}

func (w Workload) maker() *maker {
	rng := rand.New(rand.NewPCG(w.Seed, 0)) //nolint:gosec // has to repeat
	m := &maker{Workload: w, rng: rng, present: Present{}, live: map[string]int{}, back: map[string]bool{}, idle: map[string]bool{}, ids: map[string]bool{}}
	// With 200 accounts, the first is chosen in every fifth case, and one of the first ten in two of
	// three.
	m.popular = rand.NewZipf(rng, 1.5, 2, uint64(w.Users-1)) //nolint:gosec // not negative
	for n := range w.Users {
		m.present["users/"+UserID(n)] = profile(UserID(n))
	}
	for n := range Groups + 1 {
		m.present["users/"+GroupID(n)] = groupOf(UserID(n % w.Users))
	}
	return m
}

// fill adds operations, chosen by weights, until there are enough.
func (m *maker) fill(weights []weight) {
	total := 0
	for _, weight := range weights {
		total += weight.n
	}
	for halfway := false; len(m.ops) < m.Ops; {
		if !halfway && len(m.ops) >= m.Ops/2 {
			halfway = true
			m.toFollowed()
		}
		m.comeBack()
		at := m.rng.IntN(total)
		for _, weight := range weights {
			if at -= weight.n; at < 0 {
				weight.begin(m)
				break
			}
		}
	}
}

// pair is "follower follows author". For a block, author blocks follower; a hidden or liked post is in place of the author.
type pair struct{ follower, author string }

// maker makes operations that clients could make, from the documents that are present.
type maker struct {
	Workload
	rng     *rand.Rand
	popular *rand.Zipf
	present Present
	ops     []Op

	pairs    []pair // the follows that are there, and some former ones
	blocks   []pair // the same of blocks, requests, hidden posts and likes
	asked    []pair
	hidden   []pair
	liked    []pair
	comments []Op     // that are there
	posts    []string // ids of the posts that are there, without the early ones

	live    map[string]int  // number of each author's posts
	back    map[string]bool // accounts that came back
	returns []comingBack
	idle    map[string]bool // readers who have been away for long
	early   string          // the author of the early posts
	odd     string          // the kind of name that the next posts have; "": by chance
	ids     map[string]bool // of posts, including deleted ones

	restricted bool     // see Restricted
	deleted    []string // posts that may return
}

func (m *maker) add(op Op) {
	m.ops = append(m.ops, op)
	m.present.Apply(op, m.when(0))
	if op.Kind == DeletePost || op.Kind == DeleteAccount {
		m.comments = slices.DeleteFunc(m.comments, func(c Op) bool { return m.present[c.Document()] == nil })
	}
}

// tries is the number of random tries before something else is done.
const tries = 20

// gone reports whether an account is deleted.
func (m *maker) gone(u string) bool { return m.present["users/"+u] == nil }

// author returns an existing account, a popular one more often.
func (m *maker) author() string {
	for {
		if u := UserID(int(m.popular.Uint64())); !m.gone(u) { //nolint:gosec // below Users
			return u
		}
	}
}

// account returns an existing account.
func (m *maker) account() string {
	for {
		if u := UserID(m.rng.IntN(m.Users)); !m.gone(u) {
			return u
		}
	}
}

// group returns an existing group.
func (m *maker) group() string {
	for {
		if g := GroupID(m.rng.IntN(Groups)); !m.gone(g) {
			return g
		}
	}
}

// followed returns an account to follow, or in every eighth case a group.
func (m *maker) followed() string {
	if m.rng.IntN(8) == 0 {
		return m.group()
	}
	return m.author()
}

// meet looks, up to times times, for an account and one to follow that are ok.
func (m *maker) meet(times int, to func() string, ok func(pair) bool) (pair, bool) {
	for range times {
		if p := (pair{m.account(), to()}); ok(p) {
			return p, true
		}
	}
	return pair{}, false
}

// draw removes random pairs from all, until one is ok.
func (m *maker) draw(all *[]pair, ok func(pair) bool) (pair, bool) {
	for len(*all) > 0 {
		n, last := m.rng.IntN(len(*all)), len(*all)-1
		p := (*all)[n]
		(*all)[n] = (*all)[last]
		if *all = (*all)[:last]; ok(p) {
			return p, true
		}
	}
	return pair{}, false
}
