package designs_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/bench/designs"
	"example.com/relationindex/functions"
	"example.com/relationindex/internal/cli/cost"
	"example.com/relationindex/internal/cli/estimate"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/relations/plan"
)

// costs runs operations of a design one by one and compares what each is billed
// with what the formulas of package cost say.
type costs struct {
	*testing.T
	design designs.Design
	posts  int
}

func (c *costs) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *costs) settle() {
	c.Helper()
	c.must(c.design.Settle(c.Context()))
}

// want does what and compares. Nothing is allowed to differ.
func (c *costs) want(what string, predicted cost.Counts, do func() error) {
	c.Helper()
	before := c.design.Counts()
	c.must(do())
	c.settle()
	used := c.design.Counts().Minus(before)
	want := wire.Counts{Reads: int64(predicted.Reads), Writes: int64(predicted.Writes), Deletes: int64(predicted.Deletes)}
	if got := (wire.Counts{Reads: used.Reads, Writes: used.Writes, Deletes: used.Deletes}); got != want {
		c.Errorf("%s: counted %d reads, %d writes, %d deletes; predicted %d, %d, %d",
			what, got.Reads, got.Writes, got.Deletes, want.Reads, want.Writes, want.Deletes)
	}
}

func (c *costs) follow(follower, author string) {
	c.Helper()
	c.must(c.design.Follow(c.Context(), follower, author))
}

func (c *costs) post(author string) {
	c.Helper()
	c.posts++
	p := designs.Post{
		ID: fmt.Sprintf("post%d", c.posts), Author: author, Text: "text",
		CreatedAt: time.Date(2026, 1, 1, 0, c.posts, 0, 0, time.UTC),
	}
	c.must(c.design.Post(c.Context(), p))
}

// Index documents that may be large share no transaction, or few do: posts read
// more, inline and in each page of a job. The relation index's other formulas are in
// functions/cost_test.go.
func TestFormulasOfPostsInSmallTransactions(t *testing.T) {
	t.Parallel()
	const chunk = 3
	for _, test := range []struct{ capacity, ids, k, create, drop int }{
		{10_000, 10_000, 3, 3, 3},
		{10_000, 10_000, 6, 3, 3},
		{10_000, 1, 5, 3, 844},
		{1_000, 1, 3, 36, 844},
		{1_000, 1, 8, 36, 844}, // pages of 3, 3 and 2
	} {
		t.Run(fmt.Sprintf("%d index documents of %d ids", test.k, test.ids), func(t *testing.T) {
			t.Parallel()
			cfg := config.Functions{Capacity: test.capacity, InlineLimit: 4, Chunk: chunk}
			d := open(t, "relation-index", cfg).(designs.RelationIndex)
			c := &costs{T: t, design: d}
			o, copied := functions.RelationsOptions(cfg), map[string]any{"createdAt": time.Time{}, "text": "one"}
			x := cost.IndexOf(o, chunk, plan.PlannedFor(o, "p", copied, test.ids*(len(designs.User(0))+1)))
			if p := x.Planned; p.Create != test.create || p.Drop != test.drop {
				t.Fatalf("relations are planned as %+v, this test wants %d created and %d dropped in a transaction", p, test.create, test.drop)
			}
			ids := make([]string, test.k*test.ids)
			for i := range ids {
				ids[i] = designs.User(i)
			}
			c.must(d.LoadFollowers(t.Context(), "author", ids, test.ids))
			p := designs.Post{ID: "p", Author: "author", CreatedAt: time.Now(), Text: "one"}
			c.want("post", x.Post(test.k), func() error { return d.Post(t.Context(), p) })
			p.Text = "two"
			c.want("edit", x.Edit(test.k), func() error { return d.Edit(t.Context(), p) })
			before := d.Counts()
			page, err := d.Feed(t.Context(), ids[0], 20)
			if c.must(err); len(page) != 1 {
				t.Fatalf("a follower sees %d posts, want 1", len(page))
			}
			wantBytes(t, d.Counts().Minus(before), estimate.Inputs{IDBytes: 28, CopiedBytes: len(p.Text), PageIDs: test.ids, PageSize: 1}.RelationPage())
			c.want("delete", x.Delete(test.k), func() error { return d.Delete(t.Context(), p) })
		})
	}
}

// wantBytes compares what a page took with a prediction that knows neither how
// long the ids of the project, the post and the author are, nor the times.
func wantBytes(t *testing.T, used wire.Counts, predicted float64) {
	t.Helper()
	if got := float64(used.Received); got < predicted*0.85 || got > predicted*1.15 {
		t.Errorf("a page took %.0f bytes, predicted %.0f", got, predicted)
	}
}

// entriesOf are the formulas of fan-out on write. Each timeline has one author's posts.
func entriesOf(cfg config.Functions) cost.Timelines {
	o := functions.RelationsOptions(designs.FanOutOnWriteConfig(cfg)).WithDefaults()
	return cost.TimelinesOf(o, cost.IndexOf(o, 0, plan.Planned{}))
}

// A timeline of items, one post or follower more than a handler writes itself included.
// The formulas of other layouts are in functions/cost_timeline_test.go.
func TestFormulasOfFanOutOnWrite(t *testing.T) {
	t.Parallel()
	x := entriesOf(config.Functions{})
	for _, n := range []int{0, 1, 5, designs.Backfill + 1} {
		t.Run(fmt.Sprintf("%d posts and followers", n), func(t *testing.T) {
			t.Parallel()
			c := &costs{T: t, design: open(t, "fan-out-on-write", config.Functions{})}
			d, ctx := c.design, t.Context()
			for range n {
				c.post("author")
			}
			c.follow("first", "author") // who follows later opens no index document
			c.settle()
			have := min(n, designs.Backfill)
			c.want("follow", x.Follow(n, n, cost.Timeline{}, 1), func() error { return d.Follow(ctx, "f0", "author") })
			c.want("a page of the feed", x.Page(3, cost.Timeline{Entries: have}), func() error {
				_, err := d.Feed(ctx, "f0", 3)
				return err
			})
			c.want("unfollow", x.Unfollow(n, cost.Readers{All: have}), func() error { return d.Unfollow(ctx, "f0", "author") })
			for i := range n {
				c.follow(fmt.Sprintf("f%d", i), "other")
			}
			c.settle()
			p, followers := designs.Post{ID: "p", Author: "other", CreatedAt: time.Now(), Text: "one"}, cost.Readers{All: n}
			c.want("post", x.Post(followers, cost.Readers{}), func() error { return d.Post(ctx, p) })
			p.Text = "two"
			c.want("edit", x.Edit(followers, cost.Readers{}), func() error { return d.Edit(ctx, p) })
			c.want("delete", x.Delete(followers, cost.Readers{}), func() error { return d.Delete(ctx, p) })
		})
	}
}

func TestFormulasOfFanOutOnRead(t *testing.T) {
	t.Parallel()
	var x cost.FanOutOnRead
	for _, following := range []int{0, 1, 30, 31} {
		t.Run(fmt.Sprintf("following %d", following), func(t *testing.T) {
			t.Parallel()
			const page = 2
			c := &costs{T: t, design: open(t, "fan-out-on-read", config.Functions{})}
			d, ctx := c.design, t.Context()
			for i := range following {
				author := fmt.Sprintf("author%02d", i)
				c.want("follow", x.Follow(), func() error { return d.Follow(ctx, "reader", author) })
				for range page { // so that every query fills the page
					c.post(author)
				}
			}
			c.want("a page of the feed", x.FeedPage(following, page), func() error {
				_, err := d.Feed(ctx, "reader", page)
				return err
			})
			p := designs.Post{ID: "p", Author: "author00", CreatedAt: time.Now(), Text: "one"}
			c.want("post", x.Post(), func() error { return d.Post(ctx, p) })
			c.want("edit", x.Post(), func() error { return d.Edit(ctx, p) })
			c.want("delete", x.Delete(), func() error { return d.Delete(ctx, p) })
			c.want("unfollow", x.Unfollow(), func() error { return d.Unfollow(ctx, "reader", "author00") })
		})
	}
}
