package timelines_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// Timelines that are turned on get the newest posts of all followed accounts, and the posts that
// name the reader, in order. The repair may be killed at each of its writes. A complete run is
// exact.
func TestRepairFillsNewTimelines(t *testing.T) {
	eachLayout(t, func(t *testing.T, opts timelines.Options) {
		opts.Backfill = 0 // nothing comes with a follow
		w := newWorld(t, opts)
		testkit.Profiles(t, w.client, "r1")
		day := time.Now().AddDate(0, 0, -1)
		for n := range 6 {
			author := []string{"ada", "eve", "zoe"}[n%3]
			fields := map[string]any{"userId": author, "audience": author, "hidden": n == 4, "createdAt": day.Add(time.Duration(n) * time.Minute)}
			if author == "zoe" {
				fields["to"] = []string{"r1"}
			}
			w.set(fmt.Sprint("posts/p", n), fields)
		}
		for _, author := range []string{"ada", "eve"} {
			w.set("users/"+author+"/followers/r1", map[string]any{"createdAt": firestore.ServerTimestamp})
			w.must(w.graph.Follow(t.Context(), author, "r1"))
		}
		w.wantFeed("r1")
		repair := func(p *process) (entries.Checked, error) {
			return entries.Repair(t.Context(), p.d, entries.Options{Posts: 4, Report: func(entries.Problem) {}})
		}
		w.killed(func(p *process) error { _, err := repair(p); return err })
		w.wantFeed("r1", "p5", "p3", "p2", "p1")
		counts, err := repair(w.process)
		if err != nil || counts.Posts != 0 || counts.Problems != 0 {
			t.Errorf("repaired again: %+v, %v", counts, err)
		}
		w.wantFeed("r1", "p5", "p3", "p2", "p1")
	})
}

// killed runs work in processes that die at each of their writes in turn, until one ends.
func (w *world) killed(do func(p *process) error) {
	w.t.Helper()
	for at := 1; ; at++ {
		death := faults.NewDeath(at)
		err := do(w.open(death.Interceptor()))
		if !death.Died() {
			w.must(err)
			w.t.Logf("%d deaths", at-1)
			return
		}
		if err == nil || errors.Is(err, context.Canceled) {
			w.t.Errorf("who died ended with %v", err)
		}
		if at > 100 {
			w.t.Fatal("it does not end")
		}
	}
}

// Buckets of another configuration stay as they are until a repair converts them to the
// configured size and adds the posts that now fit. It may be killed at each of its writes.
func TestRepairConvertsRingToNewSize(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ size, cap, newSize, newCap, left int }{
		"a smaller cap":           {1, 8, 1, 4, 4},
		"a larger cap":            {1, 4, 1, 8, 8},
		"a cap":                   {1, 0, 1, 3, 3},
		"a cap for many":          {2, 0, 1, 2, 2},
		"no cap":                  {1, 4, 1, 0, 13},
		"larger buckets":          {1, 6, 2, 6, 4},
		"smaller buckets":         {2, 6, 1, 6, 6},
		"larger buckets, no cap":  {1, 0, 3, 0, 12},
		"a ring that never began": {50, 100, 50, 50, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(c.size, c.cap)})
			w.joins("r1")
			const posts = 12
			var ids []string
			post := func(n int) {
				w.post(fmt.Sprintf("p%02d", n))
				ids = append([]string{fmt.Sprintf("p%02d", n)}, ids...)
			}
			for n := range posts {
				post(n)
			}
			before := *w
			w.opts.Layout = layout.NewBuckets(c.newSize, c.newCap)
			w.process = w.open()
			old := c.cap
			if old == 0 {
				old = posts
			}
			w.wantFeed("r1", ids[:min(old, posts)]...)
			post(posts) // both sizes of a process find the same ring
			w.must(before.d.Post(t.Context(), ids[0]))
			w.killed(func(p *process) error {
				_, err := entries.Repair(t.Context(), p.d, entries.Options{Report: func(entries.Problem) {}})
				return err
			})
			listed, err := w.newest("r1")
			w.must(err)
			if len(listed) < c.left || len(listed) > c.left+2 {
				t.Errorf("%d entries are left, want %d", len(listed), c.left)
			}
			w.wantFeed("r1", ids[:len(listed)]...)
			w.wantNoProblem()
			for n := range 9 {
				post(posts + 1 + n)
			}
			keeps := len(listed) + 9
			if c.newCap > 0 {
				keeps = min(keeps, c.newCap)
			}
			w.wantFeed("r1", ids[:keeps]...)
			w.wantNoProblem()
		})
	}
}

// The documents have another layout than the configured one. Edits and deletions of posts reach them,
// and a repair moves the entries to the configured layout.
func TestRepairConvertsLayout(t *testing.T) {
	t.Parallel()
	for from, opts := range layouts {
		for to, then := range layouts {
			if from == to || from[:3] == to[:3] {
				continue
			}
			t.Run(from+" to "+to+", at once", func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, opts)
				w.joins("r1")
				w.post("p0")
				w.post("p1")
				w.opts.Layout = then.Layout
				w.process = w.open()
				// A repair that was killed has deleted documents: the next one finds their posts missing.
				_, err := entries.Repair(t.Context(), w.d, entries.Options{Report: func(entries.Problem) {}})
				w.must(err)
				w.wantFeed("r1", "p1", "p0")
			})
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, opts)
				w.joins("r1")
				for n := range 3 {
					w.post(fmt.Sprint("p", n))
				}
				w.opts.Layout = then.Layout
				w.process = w.open()
				w.remove("posts/p1")
				w.must(w.event(w.process, "p1")())
				w.killed(func(p *process) error {
					_, err := entries.Repair(t.Context(), p.d, entries.Options{Report: func(entries.Problem) {}})
					return err
				})
				w.wantFeed("r1", "p2", "p0")
				w.wantNoProblem()
				w.leaves("r1")
				w.wantFeed("r1")
			})
		}
	}
}

// With KeepOthers, a repair keeps and counts the entries that other options would keep: the variables of
// a shell may differ from those of the functions.
func TestRepairKeepsEntriesOfOtherOptions(t *testing.T) {
	t.Parallel()
	keeping := func(o timelines.Options) timelines.Options { o.KeepOnUnfollow = true; return o }
	ring := func(limit int) timelines.Options { return timelines.Options{Layout: layout.NewBuckets(1, limit)} }
	for name, c := range map[string]struct {
		was, now timelines.Options
		unfollow bool
		left     int64
		then     []string // what is there after a repair that keeps nothing
	}{
		"another layout":          {was: ones, now: items, left: 4, then: []string{"p3", "p2", "p1", "p0"}},
		"unfollowed, in items":    {was: keeping(items), now: items, unfollow: true, left: 4},
		"unfollowed, in buckets":  {was: keeping(fifty), now: fifty, unfollow: true, left: 4},
		"unfollowed, in days":     {was: keeping(days), now: days, unfollow: true, left: 4},
		"a smaller ring":          {was: ring(8), now: ring(2), left: 1, then: []string{"p3", "p2"}},
		"a larger ring":           {was: ring(4), now: ring(8), then: []string{"p3", "p2", "p1", "p0"}},
		"nothing is of any other": {was: ring(4), now: ring(4), then: []string{"p3", "p2", "p1", "p0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.was)
			w.joins("r1")
			for n := range 4 {
				w.post(fmt.Sprint("p", n))
			}
			if c.unfollow {
				w.leaves("r1")
			}
			before, err := w.newest("r1")
			w.must(err)
			w.opts = c.now
			w.process = w.open()
			got, err := entries.Repair(t.Context(), w.d, entries.Options{KeepOthers: true})
			w.must(err)
			if got.Left != c.left || got.Posts != 0 {
				t.Errorf("it left %d and brought %d, want %d and 0", got.Left, got.Posts, c.left)
			}
			after, err := pages.Newest(t.Context(), w.d.Database(), c.was.Layout, "r1", 100)
			w.must(err)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("a repair that keeps others changed the timeline (-was +now):\n%s", diff)
			}
			_, err = entries.Repair(t.Context(), w.d, entries.Options{})
			w.must(err)
			w.wantFeed("r1", c.then...)
		})
	}
}

// A delivery to items with a cap sometimes deletes the items beyond it. A repair with KeepOthers keeps
// the items of a larger cap.
func TestRepairWithKeepOthersKeepsItemsBeyondCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, items)
	w.joins("r3")
	const posts = 40 // by its hash, p37 takes others with it from r3
	for n := range posts {
		w.post(fmt.Sprintf("p%02d", n))
	}
	before, err := w.newest("r3")
	w.must(err)
	for n := posts - 5; n < posts; n++ {
		w.remove(fmt.Sprintf("users/r3/timeline/p%02d", n))
	}
	w.options.Feeds, w.options.Cap = []string{schema.LayoutItems}, 30
	w.opts.Layout = layout.Items{Cap: 30}
	w.process = w.open()
	got, err := entries.Repair(t.Context(), w.d, entries.Options{KeepOthers: true})
	if w.must(err); got.Posts != 5 {
		t.Errorf("it brought %d posts, want 5", got.Posts)
	}
	after, err := w.newest("r3")
	w.must(err)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the timeline (-before +repaired):\n%s", diff)
	}
}

// The configured collection of posts is another, and has none of the posts. Their entries stay.
func TestRepairKeepsEntriesWithoutAnyPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fifty)
	w.joins("r1")
	w.post("p1")
	w.post("p2")
	w.options.Posts = "articles"
	w.process = w.open()
	got, err := entries.Repair(t.Context(), w.d, entries.Options{KeepOthers: true})
	if w.must(err); got.Left != 2 {
		t.Errorf("it left %d entries, want 2", got.Left)
	}
	w.wantFeed("r1", "p2", "p1")
	w.options.Posts = ""
	w.process = w.open()
	w.remove("posts/p1")
	got, err = entries.Repair(t.Context(), w.d, entries.Options{KeepOthers: true})
	if w.must(err); got.Left != 0 {
		t.Errorf("it left %d entries of a post that is gone", got.Left)
	}
	w.wantFeed("r1", "p2")
}
