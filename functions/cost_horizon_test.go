package functions_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/cli/cost"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/internal/testkit"
	"example.com/relationindex/schema"
)

// horizonApp is an app with a horizon, whose cost is that of the formulas x. It leaves out
// what reads the horizon once a minute.
type horizonApp struct {
	*app
	x     cost.Index
	looks atomic.Int64 // reads of the horizon by itself
}

func newHorizonApp(t *testing.T, cfg config.Functions, ids int) *horizonApp {
	t.Helper()
	a := &horizonApp{x: formulas(cfg, ids)}
	a.app = newApp(t, cfg, wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		stream, err := open(ctx, desc, cc, method, opts...)
		return &horizonReads{stream, &a.looks}, err
	}})
	return a
}

// horizonReads counts the reads of the horizon alone. A transaction reads it with others.
type horizonReads struct {
	grpc.ClientStream
	n *atomic.Int64
}

func (s *horizonReads) SendMsg(req any) error {
	if get, ok := req.(*pb.BatchGetDocumentsRequest); ok && len(get.GetDocuments()) == 1 && strings.HasSuffix(get.GetDocuments()[0], "/_settings/horizon") {
		s.n.Add(1)
	}
	return s.ClientStream.SendMsg(req)
}

func (a *horizonApp) wantCost(what string, formula cost.Counts, client wire.Counts, do func()) {
	a.T.Helper()
	before := a.looks.Load()
	used := a.cost(do)
	used.Reads -= a.looks.Load() - before
	a.wantUsed(what, formula, client, used)
}

// follow makes readers follow author, one after the other.
func (a *horizonApp) follow(author string, from, to int) {
	a.T.Helper()
	for n := from; n <= to; n++ {
		a.Follow(fmt.Sprint("f", n), author)
		a.Settle()
	}
}

// kept is how many posts of an author are kept.
func (a *horizonApp) kept(author string) int {
	a.T.Helper()
	docs, err := a.Client.Collection("_relations").Where("audience", "==", author).Where("indexId", "==", "00001").OrderBy("createdAt", firestore.Asc).Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	return len(docs)
}

// history writes posts p0 to p{n-1} of an author whom nobody follows yet.
func (a *horizonApp) history(author string, n int) {
	a.T.Helper()
	posts := map[string]map[string]any{}
	for i := range n {
		posts[fmt.Sprint("posts/p", i)] = map[string]any{"userId": author, "createdAt": day.Add(time.Duration(i) * time.Hour), "text": "one"}
	}
	testkit.Write(a.T, a.Client, posts)
	a.Settle()
}

// wantPosts writes the next n posts of an author who keeps so many and has these index
// documents, and wants of each what it costs. It returns how many are kept then.
func (a *horizonApp) wantPosts(author string, indexes, from, n, kept int) int {
	a.T.Helper()
	for i := from; i < from+n; i++ {
		p := fmt.Sprint("p", i)
		before, looks := a.looks.Load(), true
		used := a.cost(func() {
			at, err := a.Client.Doc("posts/"+p).Set(a.T.Context(), map[string]any{"userId": author, "createdAt": day.Add(time.Duration(i) * time.Hour), "text": "one"})
			a.Must(at, err)
			looks = a.x.Horizon < 32 || at.UpdateTime.UnixMicro()%2 == 0
		})
		used.Reads -= a.looks.Load() - before
		formula := a.x.Post(indexes)
		if kept++; looks {
			formula = formula.Plus(a.x.Look())
			if kept > schema.KeptAtMost(a.x.Horizon) {
				formula = formula.Plus(a.x.Evict(indexes, kept-a.x.Horizon))
				kept = a.x.Horizon
			}
		}
		a.wantUsed(p, formula, oneWrite, used)
	}
	if got := a.kept(author); got != kept {
		a.T.Errorf("%d posts are kept, want %d", got, kept)
	}
	return kept
}

func TestFormulasWithAHorizon(t *testing.T) {
	t.Parallel()
	for test := range testkit.Cases(t, []struct{ horizon, before, posts, indexes, inline int }{
		{3, 0, 9, 1, 0},
		{3, 4, 3, 3, 0},
		{20, 25, 9, 1, 0},
		{20, 20, 9, 3, 0},
		{100, 110, 16, 1, 0},
		{400, 410, 45, 1, 0},
		{3, 5, 4, 14, 1}, // an inline limit of 13: jobs of one lane
	}) {
		t.Run(fmt.Sprintf("%d, %d index documents", test.horizon, test.indexes), func(t *testing.T) {
			t.Parallel()
			cfg := config.Functions{Horizon: test.horizon, InlineLimit: test.inline, Capacity: 2, Chunk: chunk, CopiedFields: []string{"text"}}
			a := newHorizonApp(t, cfg, 6)
			k := test.indexes
			a.history("author", test.before)
			a.follow("author", 1, 2*k-1)
			kept := a.wantPosts("author", k, test.before, test.posts, min(test.before, test.horizon))
			posts := test.before + test.posts
			newest := fmt.Sprint("p", posts-1)
			edit := func(p, text string) func() {
				return func() { a.Edit(p, firestore.Update{Path: "text", Value: text}) }
			}

			a.wantCost("edit", a.x.Edit(k), oneWrite, edit(newest, "two"))
			a.wantCost("edit of an evicted post", a.x.EditEvicted(k), oneWrite, edit("p0", "two"))
			a.wantCost("deletion of an evicted post", a.x.DeleteEvicted(), oneDelete, func() { a.DeletePost("p1") })
			posts--

			// Only the second follow finds that nobody else has just written the relations.
			a.follow("author", 2*k, 2*k)
			a.Unfollow(fmt.Sprint("f", 2*k), "author")
			a.Settle()
			a.wantCost("follow", a.x.Follow(kept), oneWrite, func() { a.Follow("g1", "author") })
			a.wantCost("unfollow", a.x.Unfollow(kept), oneDelete, func() { a.Unfollow("g1", "author") })
			a.follow("author", 2*k, 2*k)
			a.wantCost("a follow that opens another index document", a.x.FollowOpening(kept, k), oneWrite, func() { a.Follow("g2", "author") })
			k++
			if k > a.x.InlineLimit {
				return
			}
			for ; kept > test.horizon; kept-- {
				a.wantCost("deletion of "+newest, a.x.Delete(posts, k), oneDelete, func() { a.DeletePost(newest) })
				posts--
				newest = fmt.Sprint("p", posts)
			}
			a.wantCost("a deletion that another post replaces", a.x.DeleteReplaced(posts, k), oneDelete, func() { a.DeletePost(newest) })
			if got := a.kept("author"); got != test.horizon {
				a.T.Errorf("%d posts are kept, want %d", got, test.horizon)
			}
		})
	}
}

func TestFormulasOfTheFirstFollowsWithAHorizon(t *testing.T) {
	t.Parallel()
	for test := range testkit.Cases(t, []struct{ horizon, posts int }{{3, 0}, {3, 2}, {3, 8}, {20, 40}}) {
		t.Run(fmt.Sprintf("%d of %d posts", test.horizon, test.posts), func(t *testing.T) {
			t.Parallel()
			a := newHorizonApp(t, config.Functions{Horizon: test.horizon, Capacity: 2, CopiedFields: []string{"text"}}, 6)
			a.history("author", test.posts)
			a.wantCost("the first follow", a.x.FollowOpening(test.posts, 0), oneWrite, func() { a.Follow("f1", "author") })
			kept := min(test.posts, test.horizon)
			a.wantCost("a follow", a.x.Follow(kept), oneWrite, func() { a.Follow("f2", "author") })
			a.wantCost("a follow that opens another index document", a.x.FollowOpening(kept, 1), oneWrite, func() { a.Follow("f3", "author") })
			a.wantCost("an unfollow", a.x.Unfollow(kept), oneDelete, func() { a.Unfollow("f2", "author") })
		})
	}
}
