//go:build long

package operations

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// sizes are how many followers the index documents hold, at most and in all.
func (s *site) sizes() (documents int, largest, followers int64) {
	s.T.Helper()
	for _, doc := range s.all(s.Client.CollectionGroup("followers_index").Query) {
		n, _ := doc.Data()["count"].(int64)
		documents++
		largest, followers = max(largest, n), followers+n
	}
	return documents, largest, followers
}

// A changed capacity applies to later follows. Feeds are right at every moment. Verify reports index documents
// above a lowered capacity, and repair moves their followers.
func TestChangedCapacityKeepsFeedsComplete(t *testing.T) {
	t.Parallel()
	const users = 15
	cfg := func(capacity int) schema.Config {
		return schema.Config{NoOwnPosts: true, Capacity: capacity, InlineLimit: 20}
	}
	s := newSite(t, cfg(4))
	s.deploy(cfg(4))
	s.settled(users, 7, 2)
	s.Settle()
	s.wantSound()

	stop := s.live(users, users, 1)
	s.until(30)
	s.deploy(cfg(12)) // up: the latest index documents fill up
	s.until(60)
	stop()
	s.Settle()
	s.wantSound()
	if documents, largest, _ := s.sizes(); largest <= 4 || documents < users {
		t.Errorf("%d index documents, the largest holds %d", documents, largest)
	}

	stop = s.live(users, users, 2)
	s.until(30)
	s.deploy(cfg(3)) // down
	s.until(60)
	stop()
	s.Settle()
	s.wantFeeds()
	over := 0
	for _, v := range s.Violations() {
		if v.Invariant != 2 || !strings.Contains(v.Problem, "the capacity is 3") {
			t.Errorf("verify: %v", v)
		}
		over++
	}
	before, largest, followers := s.sizes()
	if over == 0 || largest <= 3 {
		t.Errorf("%d index documents are above the capacity, the largest holds %d", over, largest)
	}

	stop = s.live(users, users, 3)
	s.until(10)
	_, cost := s.repair()
	stop()
	s.Settle()
	after, largest, now := s.sizes()
	t.Logf("%d followers in %d index documents, %d of them above 3; after the repair %d in %d: %v", followers, before, over, now, after, cost)
	if largest > 3 {
		t.Errorf("after the repair an index document holds %d", largest)
	}
	s.wantSound()
	if _, cost := s.repair(); cost.Writes+cost.Deletes > 0 {
		t.Errorf("a second repair costs %v, want no writes", cost)
	}
}

// Relations of index documents above a lowered capacity are as large as before. A
// post's fan-out counts on small ones, and finds when it reads that they are more
// than a transaction takes; a guard would refuse that.
func TestIndexDocumentAboveLoweredCapacityFitsTransactions(t *testing.T) {
	t.Parallel()
	const documents, capacity = 14, 5000
	s := newSite(t, schema.Config{NoOwnPosts: true, Capacity: 100})
	var indexes []string
	for n := range documents {
		ids, size := make([]string, capacity), 0
		for f := range ids {
			ids[f] = fmt.Sprintf("follower-%02d-%04d", n, f)
			size += len(ids[f]) + 1
		}
		i := fmt.Sprintf("%05d", n+1)
		indexes = append(indexes, i)
		s.Must(s.Client.Doc("users/popular/followers_index/"+i).Set(t.Context(), map[string]any{
			"followers": ids, "count": capacity, "sizeBytes": size, "version": 1, "changes": []any{}, "backfilled": true,
		}))
	}
	s.Must(s.Client.Doc("users/popular").Set(t.Context(), map[string]any{"name": "popular", "followers_index": indexes, "latestFollowersIndex": indexes[documents-1]}))
	s.Register()
	change := func(write func(*firestore.DocumentRef) (*firestore.WriteResult, error), want int) {
		t.Helper()
		s.Must(write(s.Client.Doc("posts/p1")))
		s.Settle()
		relations := s.all(s.Client.Collection("_relations").Query)
		if len(relations) != want {
			t.Errorf("%d relations, want %d", len(relations), want)
		}
		for _, r := range relations {
			if got := len(r.Data()["followers"].([]any)); got != capacity {
				t.Errorf("%s holds %d followers", r.Ref.ID, got)
			}
		}
	}
	for n := range 2 { // a post, and another time of it
		change(func(p *firestore.DocumentRef) (*firestore.WriteResult, error) {
			return p.Set(t.Context(), post(n, "popular"))
		}, documents)
	}
	change(func(p *firestore.DocumentRef) (*firestore.WriteResult, error) { return p.Delete(t.Context()) }, 0)
}

// The cost of moving followers out of documents above a lowered capacity, at rest.
func TestCostOfALoweredCapacity(t *testing.T) {
	t.Parallel()
	const followers, posts, before, after = 600, 3, 300, 100
	s := newSite(t, schema.Config{NoOwnPosts: true, Capacity: before})
	s.settled(1, followers, posts)
	s.repair()
	s.wantSound()
	s.Config.Capacity = after
	repaired, cost := s.repair()
	if repaired.After.Violations != 0 || repaired.After.IndexDocuments != followers/after {
		t.Errorf("%+v: %v", repaired.After, repaired.Left)
	}
	s.wantSound()
	const moved = followers - followers/before*after
	t.Logf("%d of %d followers moved: %v", moved, followers, cost)
	if most := int64(3*moved + 2*posts*followers/after + 5*followers/after); cost.Writes > most || cost.Deletes > 0 {
		t.Errorf("it costs %v, want at most %d writes", cost, most)
	}
}

// A moved follower finds every post of the author throughout the move. They are added to the
// relations of their new index document before they are removed from those of the old one.
func TestFollowersMissNoPostWhileMoved(t *testing.T) {
	t.Parallel()
	const followers, posts = 24, 2
	s := newSite(t, schema.Config{NoOwnPosts: true, Capacity: 12})
	s.settled(1, followers, posts)
	s.repair()
	var one sync.Mutex // commits come several at once
	commits := 0
	look := func() {
		one.Lock()
		defer one.Unlock()
		commits++
		seen := map[string]map[string]bool{}
		for _, r := range s.all(s.Client.Collection("_relations").Query) {
			for _, f := range r.Data()["followers"].([]any) {
				if seen[f.(string)] == nil {
					seen[f.(string)] = map[string]bool{}
				}
				seen[f.(string)][r.Data()["postId"].(string)] = true
			}
		}
		for n := range followers {
			if got := len(seen[user(n+1)]); got != posts {
				t.Errorf("after %d commits %s sees %d posts of %d", commits, user(n+1), got, posts)
			}
		}
	}
	look()
	s.Config.Capacity = 4
	x := s.Instance(wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			err := invoke(ctx, method, req, reply, cc, opts...)
			if _, ok := req.(*pb.CommitRequest); ok {
				look()
			}
			return err
		},
	})
	repaired, err := repair.New(x).Repair(t.Context(), "", nil, nil)
	if err != nil || repaired.After.Violations != 0 || repaired.After.IndexDocuments != followers/4 {
		t.Errorf("%+v, %v", repaired, err)
	}
	t.Logf("looked after %d commits", commits)
}
