package prices_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// comment writes n comments on a post of author's, as clients do.
func (a *app) comment(p string, n int) {
	a.T.Helper()
	documents := map[string]map[string]any{}
	for c := range n {
		documents[fmt.Sprintf("posts/%s/comments/c%02d", p, c)] = map[string]any{"userId": "zoe", "createdAt": time.Now(), "thread": "author/author", "text": "private"}
	}
	testkit.Write(a.T, a.Client, documents)
}

// The comments on a post go with it, in a handler or in pages of a job, whatever delivers posts. Those
// on others stay, and what they cost is what the formulas say.
func TestCommentsGoWithTheirPost(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"relations":         {NoOwnPosts: true},
		"timelines":         {NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true},
		"buckets, by names": {NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, CopiedFields: []string{"text"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.InlineLimit, cfg.Chunk = inline, chunk
			a := newApp(t, cfg)
			a.Post("q", "author", day)
			a.Post("r", "author", day)
			a.comment("q", 1)
			a.Settle()
			none := a.Used(func() { a.DeletePost("r") })
			none.Reads-- // to look for comments, and find none
			wantComments := func(post string, want int) {
				t.Helper()
				docs, err := a.Client.Collection("posts/" + post + "/comments").Documents(t.Context()).GetAll()
				if err != nil || len(docs) != want {
					t.Errorf("%d comments on %s are left, want %d: %v", len(docs), post, want, err)
				}
			}
			for _, n := range []int{0, 1, inline, inline + 1, 2*chunk + inline, 4 * chunk} {
				p := fmt.Sprint("p", n)
				a.Post(p, "author", day)
				a.comment(p, n)
				a.Settle()
				used := a.Used(func() { a.DeletePost(p) })
				wantComments(p, 0)
				formula := prices.Comments(n)
				if n > inline {
					formula = prices.IndexOf(cfg, chunk, formulas(cfg, 0).Planned).CommentsByJob(n)
				}
				a.wantUsed(fmt.Sprint(n, " comments"), formula, none.Minus(none), used.Minus(none))
			}
			wantComments("q", 1)
		})
	}
}
