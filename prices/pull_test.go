package prices_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// Pages of source=pull cost, with f followed (up to 1,000), n posts a page and s = 2, or 1
// where all posts are filled:
//
//	f, and 1 if they are 1,000 or more, for the first page in a minute
//	up to n for each of s⌈f/30⌉ + 1 queries, and 1 more query for one's own posts; at least 1 each
//	1 for each author who names the reader, and whose audience the reader does not follow
//	n for the posts
func TestPullCost(t *testing.T) {
	t.Parallel()
	const n = 5
	for _, followed := range []int{30, 300, 1000} {
		project, meter := testkit.ProjectID(t), &wire.Meter{}
		documents := map[string]map[string]any{}
		for i := range followed {
			u := fmt.Sprintf("u%04d", i)
			documents["users/ada/following/"+u] = map[string]any{"createdAt": day, "indexId": "00001"}
			if i%30 < 2*n { // enough for two pages from each query
				documents[fmt.Sprintf("posts/p%04d", i)] = map[string]any{"userId": u, "audience": u, "createdAt": day.Add(time.Duration(i) * time.Second)}
			}
		}
		testkit.Write(t, testkit.Open(t, project), documents)
		client := testkit.Open(t, project, meter.Interceptor())
		for _, options := range []schema.Config{{NoOwnPosts: true}, {NoOwnPosts: true, PostsFilled: true}, {PostsFilled: true}} {
			if !options.NoOwnPosts && followed > 30 || !options.PostsFilled && followed > 300 {
				continue // the emulator is slow
			}
			formula := prices.PullOptions{Filled: options.PostsFilled, OwnPosts: !options.NoOwnPosts}
			page, whom := int64(formula.FeedPage(followed, n).Reads), int64(formula.Following(followed).Reads)
			queries := int64(prices.Parts(followed, prices.InLimit)*2 + 1)
			if options.PostsFilled {
				queries = int64(prices.Parts(followed, prices.InLimit) + 1)
			}
			if !options.NoOwnPosts {
				queries++
			}
			edges := int64(1)
			if followed == feed.MaxFollowed {
				edges++ // how many more are there?
			}
			f, cursor := feed.New(client, options, nil), ""
			for _, want := range []wire.Counts{{Reads: whom + page, Requests: edges + queries + 1}, {Reads: page, Requests: queries + 1}} {
				before := meter.Counts()
				p, err := f.Pull(t.Context(), "ada", n, cursor)
				if err != nil || len(p.Posts) != n || p.Rounds != 1 || p.LeftOut != 0 {
					t.Fatalf("%d followed, %+v: %+v, %v", followed, options, p, err)
				}
				if used := meter.Counts().Minus(before); used.Reads != want.Reads || used.Requests != want.Requests || used.Writes+used.Deletes != 0 {
					t.Errorf("%d followed, %+v: a page took %v, want %v", followed, options, used, want)
				}
				cursor = p.Cursor
			}
		}
	}
}
