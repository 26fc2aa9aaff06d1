package weather

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/schema"
)

var (
	burst   = flag.Int("burst", 10_000, "follows of one author within a minute")
	storm   = flag.Int("storm", 500, "posts of one author or group, each with a job, at once")
	leaving = flag.Int("leaving", 1_000, "accounts that are deleted at once")
	fewer   = flag.Bool("fewer", false, "leave out the cases in which all instances are restarted")
)

// trouble is a case beside which others follow and post.
type trouble struct {
	name string
	// load writes what the case needs, and returns what happens while others follow and post.
	load func(s *system) func(ctx context.Context) error
	// kinds are its own samples, if it has any.
	kinds []string
}

var troubles = []trouble{
	{"burst", loadBurst, []string{"follows of a popular author", "posts of a popular author"}},
	{"storm of jobs", loadStorm("busy"), []string{withJob}},
	{"storm of jobs of a group", loadStorm("g_busy"), []string{withJob}},
	{"accounts deleted", loadLeaving, nil},
	{"a rejected relation", loadRejected, nil},
	{"a damaged index document", loadDamaged, nil},
	{"an oversized post", loadOversized, nil},
	{"an index builds", loadBuilding, nil},
}

// BenchmarkWeather is the time to feed: on a quiet day, and while others do what is expensive or broken. It fails if
// something never reaches a reader, or if a job does not end. What takes longer than mostTimes its time on a quiet day it
// reports.
func BenchmarkWeather(b *testing.B) {
	for b.Loop() {
		t := newTable()
		each(b, "quiet", func(b *testing.B, what string, restarted bool) { quiet(b, t, what, restarted) })
		for _, c := range troubles {
			each(b, c.name, func(b *testing.B, what string, restarted bool) { beside(b, t, c, what, restarted) })
		}
		b.Run("case=no Sweep", func(b *testing.B) { withoutSweep(b, t) })
	}
}

// each runs a case without and, unless -fewer, with a restart of all instances in the middle.
func each(b *testing.B, what string, run func(b *testing.B, what string, restarted bool)) {
	b.Run("case="+what, func(b *testing.B) { run(b, what, false) })
	if !*fewer {
		b.Run("case="+what+", restarted", func(b *testing.B) { run(b, what+", restarted", true) })
	}
}

// quiet measures posts and follows of authors of several sizes, with nothing else going on.
func quiet(b *testing.B, t *table, what string, restarted bool) {
	s := start(b, options{})
	all := s.loadOthers()
	var posts, follows []*author
	for n, followers := range []int{10, 1_000, 100_000} {
		a := &author{id: name("size", n), first: 20_000_000 + n*1_000_000, all: followers, each: schema.DefaultCapacity, asking: 1}
		s.load(a)
		posts = append(posts, a)
	}
	for n, before := range []int{0, 20, 200} {
		a := &author{id: name("posts", n), first: 30_000_000 + n*100, all: 10, each: schema.DefaultCapacity}
		s.load(a)
		s.loadPosts(a, before)
		follows = append(follows, a)
	}
	s.rest()
	t.add(b, what, s.together(restarted, *window, func(ctx context.Context) error { return all.run(ctx, s, *window) }), otherPosts, otherFollows)
	const d = 20 * time.Second
	for _, a := range follows {
		kind := fmt.Sprintf("follows with %d posts", len(a.posts))
		t.add(b, what, s.together(restarted, d, func(ctx context.Context) error {
			return paced(ctx, 1, d, func(ctx context.Context, _ int) error { return s.follow(ctx, kind, a, true) })
		}), kind)
	}
	for _, a := range posts { // last: each makes queries slower on the emulator
		kind := fmt.Sprintf("posts to %d followers", a.all)
		t.add(b, what, s.together(restarted, d, func(ctx context.Context) error {
			return paced(ctx, 1, d, func(ctx context.Context, _ int) error { return s.post(ctx, kind, a) })
		}), kind)
	}
}

// beside measures others while something else goes on, and what goes on.
func beside(b *testing.B, t *table, c trouble, what string, restarted bool) {
	s := start(b, options{})
	all := s.loadOthers()
	happens := c.load(s)
	s.rest()
	r := s.together(restarted, *window, happens, func(ctx context.Context) error { return all.run(ctx, s, *window) })
	t.add(b, what, r, append([]string{otherPosts, otherFollows}, c.kinds...)...)
}

// noSweep is how long nobody calls Sweep. Leases of jobs, which it waits for, are not scaled.
const noSweep = 5 * time.Minute

// withoutSweep is a storm of jobs and a restart while nobody calls Sweep. Readers who wait for it then have all patience left.
func withoutSweep(b *testing.B, t *table) {
	s := start(b, options{sweep: time.Hour})
	all := s.loadOthers()
	happens := loadStorm("busy")(s)
	s.rest()
	r := s.measure(func(ctx context.Context) error {
		end := time.Now().Add(noSweep)
		if err := happens(ctx); err != nil {
			return err
		}
		if err := s.restart(); err != nil {
			return err
		}
		if err := all.run(ctx, s, time.Until(end)); err != nil {
			return err
		}
		return s.Sweep(ctx)
	})
	t.add(b, "no Sweep", r, otherPosts, otherFollows, withJob)
}
