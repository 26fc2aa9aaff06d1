package weather

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/schema"
)

var (
	burst   = flag.Int("burst", 1_000, "follows of one author within a minute")
	storm   = flag.Int("storm", 100, "posts of one author or group, each with a job, at once")
	leaving = flag.Int("leaving", 100, "accounts that are deleted at once")
	fewer   = flag.Bool("fewer", false, "leave out the second run of each case, with a restart of all instances; no Sweep restarts them too, and stays")
)

// trouble is a case with something expensive or broken, while others post and are followed.
type trouble struct {
	name string
	// load writes what the case needs, and returns what runs while others post and follow.
	load func(s *system) func(ctx context.Context) error
	// lasts is about the time that this takes; 0: -window. A restart of all instances comes
	// in the middle of it.
	lasts time.Duration
	// functions configures the functions.
	functions schema.Config
	// kinds are the kinds of its own samples, if it has any.
	kinds []string
}

var troubles = []trouble{
	{name: "burst", load: loadBurst, lasts: time.Minute, kinds: []string{"follows of a popular author", "posts of a popular author"}},
	{name: "storm of jobs", load: loadStorm("busy"), lasts: 10 * time.Second, functions: stormy, kinds: []string{withJob}},
	{name: "storm of jobs of a group", load: loadStorm("g_busy"), lasts: 10 * time.Second, functions: stormy, kinds: []string{withJob}},
	{name: "accounts deleted", load: loadLeaving, lasts: 10 * time.Second},
	{name: "a rejected relation", load: loadRejected},
	{name: "a damaged index document", load: loadDamaged},
	{name: "an oversized post", load: loadOversized},
	{name: "an index builds", load: loadBuilding, lasts: time.Minute},
}

// BenchmarkWeather measures the time to feed: on a quiet day, and while something is expensive or broken. It fails if a write
// never reaches a reader, or if a job does not end. It marks a p99 above mostTimes that of a quiet day.
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

// each runs a case without a restart of all instances and, unless -fewer, with one in the middle.
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
	var kinds []string
	for _, a := range follows {
		kinds = append(kinds, fmt.Sprintf("follows with %d posts", len(a.posts)))
	}
	const d = enough * time.Second
	t.add(b, what, s.together(restarted, d, func(ctx context.Context) error {
		return paced(ctx, float64(len(kinds)), d, func(ctx context.Context, n int) error {
			return s.follow(ctx, kinds[n%len(kinds)], follows[n%len(kinds)], true)
		})
	}), kinds...)
	for _, a := range posts[:2] {
		kind := postsTo(a)
		t.add(b, what, s.together(restarted, d, func(ctx context.Context) error {
			return paced(ctx, 1, d, func(ctx context.Context, _ int) error { return s.post(ctx, kind, a) })
		}), kind)
	}
	// Last, since each makes queries slower on the emulator; and one after the other, or they wait for each other.
	large := posts[2]
	t.add(b, what, s.together(restarted, 10*time.Second, func(ctx context.Context) error {
		for range enough / 10 { // each has ten readers
			if err := s.post(ctx, postsTo(large), large); err != nil {
				return err
			}
			until(func() bool { unseen, _ := s.watch.unseen(); return unseen == 0 })
		}
		return nil
	}), postsTo(large))
}

// enough is the smallest number of samples with a p99.
const enough = 100

func postsTo(a *author) string { return fmt.Sprintf("posts to %d followers", a.all) }

// beside measures others during a trouble, and the trouble's own kinds.
func beside(b *testing.B, t *table, c trouble, what string, restarted bool) {
	s := start(b, options{functions: c.functions})
	all := s.loadOthers()
	happens := c.load(s)
	s.rest()
	r := s.together(restarted, cmp.Or(min(c.lasts, *window), *window), happens, func(ctx context.Context) error { return all.run(ctx, s, *window) })
	t.add(b, what, r, append([]string{otherPosts, otherFollows}, c.kinds...)...)
}

// noSweep is the time without a call of Sweep. It is not scaled, since leases of jobs are not.
const noSweep = 5 * time.Minute

// withoutSweep measures a storm of jobs and a restart, without Sweep for noSweep. After that it calls Sweep once, and readers
// that wait for it have patience left.
func withoutSweep(b *testing.B, t *table) {
	s := start(b, options{functions: stormy, sweep: time.Hour})
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
