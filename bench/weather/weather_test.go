package weather

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/cli/console"
	"example.com/relationindex/schema"
)

var (
	burst   = flag.Int("burst", 10_000, "follows of one author within a minute")
	storm   = flag.Int("storm", 500, "posts of one author, each with a job, at once")
	leaving = flag.Int("leaving", 1_000, "accounts that are deleted at once")
	fewer   = flag.Bool("fewer", false, "leave out the cases in which all instances are restarted")
)

// mostTimes is how much longer than on a quiet day others may wait, at p99, when something else goes on.
const mostTimes = 2

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
	{"storm of jobs", loadStorm, []string{"posts with a job"}},
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
		t := &table{out: os.Stdout}
		b.Run("case=quiet", func(b *testing.B) { quiet(b, t) })
		for _, c := range troubles {
			b.Run("case="+c.name, func(b *testing.B) { beside(b, t, c, false) })
			if !*fewer {
				b.Run("case="+c.name+", restarted", func(b *testing.B) { beside(b, t, c, true) })
			}
		}
		b.Run("case=no Sweep", func(b *testing.B) { withoutSweep(b, t) })
		must(b, t.print())
	}
}

// quiet measures posts and follows of authors of several sizes, with nothing else going on.
func quiet(b *testing.B, t *table) {
	s := start(b, options{})
	all := s.loadOthers()
	var posts, follows []*author
	for n, followers := range []int{10, 1_000, 100_000} {
		a := &author{id: name("size", n), first: 20_000_000 + n*1_000_000, all: followers, each: schema.DefaultCapacity}
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
	t.add(b, "quiet", s.measure(func(ctx context.Context) { must(b, all.run(ctx, s, *window)) }), otherPosts, otherFollows)
	for _, a := range posts {
		kind := fmt.Sprintf("posts to %d followers", a.all)
		t.add(b, "quiet", s.measure(func(ctx context.Context) {
			must(b, paced(ctx, 1, 20*time.Second, func(ctx context.Context, _ int) error { return s.post(ctx, kind, a) }))
		}), kind)
	}
	for _, a := range follows {
		kind := fmt.Sprintf("follows with %d posts", len(a.posts))
		t.add(b, "quiet", s.measure(func(ctx context.Context) {
			must(b, paced(ctx, 1, 20*time.Second, func(ctx context.Context, _ int) error { return s.follow(ctx, kind, a) }))
		}), kind)
	}
}

// beside measures others while something else goes on, and what goes on. restarted kills all instances in the middle.
func beside(b *testing.B, t *table, c trouble, restarted bool) {
	s := start(b, options{workers: 2})
	all := s.loadOthers()
	happens := c.load(s)
	s.rest()
	what := c.name
	if restarted {
		what += ", restarted"
	}
	r := s.measure(func(ctx context.Context) {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return happens(ctx) })
		group.Go(func() error { return all.run(ctx, s, *window) })
		if restarted {
			group.Go(func() error {
				select {
				case <-time.After(*window / 2):
					return s.KillAll()
				case <-ctx.Done():
					return nil
				}
			})
		}
		must(b, group.Wait())
	})
	t.add(b, what, r, append([]string{otherPosts, otherFollows}, c.kinds...)...)
}

// withoutSweep is a storm of jobs and a restart while nobody calls Sweep, for five minutes of production.
func withoutSweep(b *testing.B, t *table) {
	s := start(b, options{workers: 2, sweep: time.Duration(*scale * float64(5*time.Minute))})
	all := s.loadOthers()
	happens := loadStorm(s)
	s.rest()
	r := s.measure(func(ctx context.Context) {
		must(b, happens(ctx))
		must(b, s.KillAll())
		must(b, all.run(ctx, s, *window))
	})
	t.add(b, "no Sweep", r, otherPosts, otherFollows, "posts with a job")
}

// table is what is printed.
type table struct {
	out  *os.File
	rows [][]string
	base map[string]time.Duration // p99 of others on a quiet day, by kind
}

func (t *table) add(tb testing.TB, what string, r result, kinds ...string) {
	tb.Helper()
	if t.base == nil {
		t.base = map[string]time.Duration{}
	}
	for n, kind := range kinds {
		feed, never, bare := timesOf(r.samples, kind)
		p99 := feed.at(0.99)
		if what == "quiet" {
			t.base[kind] = p99
		}
		ofQuiet := ""
		if base := t.base[kind]; base > 0 && what != "quiet" {
			times := p99.Seconds() / base.Seconds()
			ofQuiet = fmt.Sprintf("%.1f", times)
			if times > mostTimes {
				ofQuiet += " !"
			}
		}
		row := append([]string{what, kind, fmt.Sprint(len(feed))}, append(feed.cells(), bare.cells()...)...)
		row = append(row, ofQuiet)
		if n == 0 {
			row = append(row, fmt.Sprintf("%.0f %%", 100*r.emulator), fmt.Sprintf("%.0f s", r.wrote.Seconds()), fmt.Sprintf("%.0f s", r.rest.Seconds()))
		}
		t.rows = append(t.rows, row)
		if never > 0 {
			tb.Errorf("%s: %d %s never reached a reader", what, never, kind)
		}
		if len(feed)+never == 0 {
			tb.Errorf("%s: no %s", what, kind)
		}
	}
	if r.left != "" {
		tb.Errorf("%s: not at rest: %s", what, r.left)
	}
}

func (t *table) print() error {
	fmt.Fprintf(t.out, "Time to feed in production's weather; waits of minutes and hours times %v, no spells. Beside it a trigger that does nothing.\n", *scale)
	headers := []string{"case", "of", "n", "p50", "p99", "most", "bare p50", "p99", "most", "p99 / quiet", "emulator", "wrote for", "at rest after"}
	return console.Table(t.out, "  ", headers, t.rows)
}
