package designs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"
)

// Scale says how large a workload is.
type Scale struct {
	Users, Follows, Posts           int
	LateFollows                     int // follows when the posts are there already
	Edits, Unfollows, Deletes, Page int // Page: posts in a page of a feed
}

// Small takes seconds; Default is what the benchmark runs.
var (
	Small   = Scale{Users: 45, Follows: 130, Posts: 40, LateFollows: 30, Edits: 15, Unfollows: 30, Deletes: 10, Page: 10}
	Default = Scale{Users: 200, Follows: 3000, Posts: 400, LateFollows: 300, Edits: 100, Unfollows: 300, Deletes: 100, Page: 20}
)

// Phase is a part of a workload: operations of one kind, on different documents.
type Phase struct {
	Name string // of the operation: "follow"
	Ops  []func(ctx context.Context, d Design) error
}

// Workload is the same for the same scale and seed. Who has followers follows a
// power law: nearly everybody follows the first users, and a few the last. One
// user follows everybody, so that thirty authors a query are not enough. Its phases come
// in an order in which each kind meets what the others leave: follows before
// and after posts, and unfollows and deletions of what both made. Feeds are read
// at the end of a workload, by every user.
//
// Posts are dated a millisecond after each other, from an hour after began, when the workload is to begin. Of posts that
// are dated back, or handled late, functions read more: no design is to meet these for being measured last.
func Workload(s Scale, seed uint64, began time.Time) []Phase {
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // the same workload each time
	w := &workload{random: random, scale: s, first: began.Add(time.Hour).Truncate(time.Microsecond).UTC(), followed: map[[2]string]bool{}}
	return []Phase{
		{"follow", append(w.curious(), w.follows(s.Follows-s.Users+1)...)},
		{"post", w.posts(s.Posts)},
		{"late-follow", w.follows(s.LateFollows)},
		{"edit", w.edits(s.Edits)},
		{"unfollow", w.unfollows(s.Unfollows)},
		{"delete", w.deletes(s.Deletes)},
	}
}

type workload struct {
	random   *rand.Rand
	scale    Scale
	first    time.Time          // of the posts
	followed map[[2]string]bool // follower, author
	follow   [][2]string        // the same, in order
	post     []Post
}

// User is the id of a workload's n-th user, 28 bytes as Firebase's are.
func User(n int) string { return fmt.Sprintf("user-%023d", n) }

// author is a user whose rank follows a power law.
func (w *workload) author() string {
	rank := int(math.Pow(float64(w.scale.Users), w.random.Float64())) - 1
	return User(rank)
}

// curious is the last user, who follows all others.
func (w *workload) curious() (ops []func(context.Context, Design) error) {
	for n := range w.scale.Users - 1 {
		ops = append(ops, w.newFollow(User(w.scale.Users-1), User(n)))
	}
	return ops
}

// newFollow notes a follow and is the operation that makes it.
func (w *workload) newFollow(follower, author string) func(context.Context, Design) error {
	pair := [2]string{follower, author}
	w.followed[pair] = true
	w.follow = append(w.follow, pair)
	return func(ctx context.Context, d Design) error { return d.Follow(ctx, follower, author) }
}

func (w *workload) follows(n int) (ops []func(context.Context, Design) error) {
	for len(ops) < n {
		follower, author := User(w.random.IntN(w.scale.Users)), w.author()
		if follower == author || w.followed[[2]string{follower, author}] {
			author = User(w.random.IntN(w.scale.Users)) // the popular ones have nearly everybody by now
		}
		if follower != author && !w.followed[[2]string{follower, author}] {
			ops = append(ops, w.newFollow(follower, author))
		}
	}
	return ops
}

func (w *workload) posts(n int) (ops []func(context.Context, Design) error) {
	for i := range n {
		author := w.author()
		if i%2 == 0 { // whoever few follow posts as well
			author = User(w.random.IntN(w.scale.Users))
		}
		p := Post{
			ID: fmt.Sprintf("post-%015d", i), Author: author,
			CreatedAt: w.first.Add(time.Duration(i) * time.Millisecond), Text: fmt.Sprintf("text of post %d", i),
		}
		w.post = append(w.post, p)
		ops = append(ops, func(ctx context.Context, d Design) error { return d.Post(ctx, p) })
	}
	return ops
}

// edits takes different posts: designs may edit them at once.
func (w *workload) edits(n int) (ops []func(context.Context, Design) error) {
	for _, i := range w.random.Perm(len(w.post))[:n] {
		w.post[i].Text = fmt.Sprintf("edited text of post %d", i)
		p := w.post[i]
		ops = append(ops, func(ctx context.Context, d Design) error { return d.Edit(ctx, p) })
	}
	return ops
}

func (w *workload) unfollows(n int) (ops []func(context.Context, Design) error) {
	for _, i := range w.random.Perm(len(w.follow))[:n] {
		pair := w.follow[i]
		ops = append(ops, func(ctx context.Context, d Design) error { return d.Unfollow(ctx, pair[0], pair[1]) })
	}
	return ops
}

func (w *workload) deletes(n int) (ops []func(context.Context, Design) error) {
	for _, i := range w.random.Perm(len(w.post))[:n] {
		p := w.post[i]
		ops = append(ops, func(ctx context.Context, d Design) error { return d.Delete(ctx, p) })
	}
	return ops
}

// atOnce is how many operations of a phase a design is given at once.
const atOnce = 8

// Run does a phase and waits until every feed shows it.
func (p Phase) Run(ctx context.Context, d Design) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, op := range p.Ops {
		group.Go(func() error { return op(groupCtx, d) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("phase %s: %w", p.Name, err)
	}
	if err := d.Settle(ctx); err != nil {
		return fmt.Errorf("after phase %s: %w", p.Name, err)
	}
	return nil
}

// Feeds is a page of every user's feed.
func Feeds(ctx context.Context, d Design, s Scale) (map[string][]Post, error) {
	feeds := map[string][]Post{}
	for n := range s.Users {
		page, err := d.Feed(ctx, User(n), s.Page)
		if err != nil {
			return nil, fmt.Errorf("feed of %s: %w", User(n), err)
		}
		for i := range page {
			page[i].CreatedAt = page[i].CreatedAt.UTC()
		}
		feeds[User(n)] = append([]Post{}, page...) // empty, not nil
	}
	return feeds, nil
}
