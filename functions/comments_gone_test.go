package functions_test

import (
	"fmt"
	"testing"

	"example.com/relationindex/functions"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/prices"
)

func numbered(prefix string, n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("%s%02d", prefix, i))
	}
	return ids
}

// The comments on a post go with it, in a handler or in pages of a job, whatever delivers posts. Those
// on others stay, and what they cost is what the formulas say.
func TestCommentsGoWithTheirPost(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]config.Functions{
		"relations":         {},
		"timelines":         {Timeline: "items", Ranked: true, RelationsOff: true},
		"buckets, by names": {Timeline: "buckets", CopiedFields: []string{"text"}},
	} {
		for _, n := range []int{0, 1, inline, inline + 1, 2*chunk + inline, 4 * chunk} {
			t.Run(fmt.Sprintf("%s, %d comments", name, n), func(t *testing.T) {
				t.Parallel()
				cfg.InlineLimit, cfg.Chunk = inline, chunk
				a := newApp(t, cfg)
				for _, p := range []string{"p", "q", "r"} {
					a.Post(p, "author", day)
				}
				a.Comments("p", "author", "author", numbered("c", n)...)
				a.Comments("q", "author", "author", "c00")
				a.Settle()
				none := a.Used(func() { a.DeletePost("r") })
				used := a.Used(func() { a.DeletePost("p") })
				a.WantComments("p")
				a.WantComments("q", "c00")
				formula := prices.Comments(n)
				if n > inline {
					formula = prices.IndexOf(functions.RelationsOptions(cfg), chunk, formulas(cfg, 0).Planned).CommentsByJob(n)
				}
				none.Reads-- // to look for comments, and find none
				a.wantUsed("comments", formula, none.Minus(none), used.Minus(none))
			})
		}
	}
}
