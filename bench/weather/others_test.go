package weather

import (
	"context"
	"flag"
	"time"
)

var (
	accounts = flag.Int("others", 300, "background accounts that post and are followed, each measured")
	rate     = flag.Float64("rate", 5, "posts and follows of the background accounts a second")
	window   = flag.Duration("window", time.Minute, "length of a case; the burst takes at most 1m; no Sweep always takes 5m")
)

const (
	othersFollowers = 10
	othersPosts     = 2
	otherPosts      = "posts of others"
	otherFollows    = "follows of others"
)

// others are accounts with ten followers and two posts each.
type others []*author

func (s *system) loadOthers() others {
	s.tb.Helper()
	var all others
	for n := range *accounts {
		a := &author{id: name("other", n), first: 10_000_000 + n*othersFollowers, all: othersFollowers, each: othersFollowers, asking: 1}
		s.load(a)
		all = append(all, a)
	}
	for _, a := range all {
		s.loadPosts(a, othersPosts)
	}
	s.rest()
	return all
}

// rest waits until everything that was loaded has had its consequences.
func (s *system) rest() {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(s.tb.Context(), 2*patience)
	defer cancel()
	must(s.tb, s.Idle(ctx))
}

// run alternates posts and follows of others.
func (all others) run(ctx context.Context, s *system, d time.Duration) error {
	return paced(ctx, *rate, d, func(ctx context.Context, n int) error {
		a := all[n*7919%len(all)] // each account once before any comes again
		if n%2 == 0 {
			return s.post(ctx, otherPosts, a)
		}
		return s.follow(ctx, otherFollows, a, true)
	})
}
