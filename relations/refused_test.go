package relations_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A relation that Firestore rejects shares a transaction with others.
// The others are still written.
func TestRejectedRelationAffectsOnlyItself(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
	ids := []string{"00001", "00002", "00003", "00004"}
	documents := map[string]map[string]any{
		"users/author": {"followers_index": ids, "latestFollowersIndex": "00004"},
		"posts/p":      {"userId": "author", "createdAt": stories.Day},
	}
	for _, i := range ids {
		documents["users/author/followers_index/"+i] = map[string]any{
			"followers": []string{"r" + i}, "count": 1, "sizeBytes": 7, "version": 1, "changes": []any{}, "backfilled": true,
		}
	}
	testkit.Write(t, a.Client, documents)
	refuse := testkit.Refusing(testkit.CommitOf("_relations/p_00002"))
	for range 2 { // the second event tells nothing new
		if err := a.Instance(refuse).Deliveries.Post(t.Context(), "p"); err != nil {
			t.Errorf("the event ends with %v, want it to go past the relation", err)
		}
	}
	a.WantTold("_relations/p_00002")
	for i, want := range map[string]int{"00001": 1, "00002": 0, "00003": 1, "00004": 1} {
		if got := len(a.Feed("r" + i)); got != want {
			t.Errorf("the follower in %s sees %d posts, want %d", i, got, want)
		}
	}
}

// The jobs of a post go past a relation that Firestore refuses, bare too, and are done. A
// repair writes it once Firestore takes it.
func TestPostsJobSkipsRejectedRelation(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"alone":     {NoOwnPosts: true, InlineLimit: 2, Chunk: 2},
		"in ranges": {NoOwnPosts: true, InlineLimit: 2, Chunk: 1, Range: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.DamagedApp(t, cfg) // r02 and r03 are in 00002
			w := a.Worker(0, testkit.Refusing(testkit.CommitOf("_relations/p2_00002")))
			a.Post("p2", "author", stories.Day.Add(2*time.Hour))
			if err := w.Index.Deliveries.Post(t.Context(), "p2"); err != nil {
				t.Fatal(err)
			}
			if err := w.Finish(a); err != nil {
				t.Fatal(err)
			}
			a.WantRanges("p2", map[bool]int{false: 1, true: 3}[cfg.Range > 0], 6)
			a.WantTold("_relations/p2_00002")
			for n := range 12 {
				if n == 2 || n == 3 {
					a.WantFeed(fmt.Sprintf("r%02d", n), "p1", "p0")
				} else {
					a.WantFeed(fmt.Sprintf("r%02d", n), "p2", "p1", "p0")
				}
			}
			a.RepairDamaged()
			a.WantTold()
			a.WantVerified()
		})
	}
}

// The job of an index document goes past a relation that Firestore refuses, bare too,
// however many others there are, new ones and stale ones. What comes later does not wait.
func TestIndexJobSkipsRejectedRelation(t *testing.T) {
	t.Parallel()
	for name, backfilled := range map[string]bool{"new relations": false, "stale relations": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const id = "index:author:00001"
			a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, InlineLimit: 2, Chunk: 2})
			testkit.Write(t, a.Client, map[string]map[string]any{
				"users/author": {"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"},
				"users/author/followers_index/00001": {
					"followers": []string{"r0"}, "count": 1, "sizeBytes": 3, "version": 1, "changes": []any{}, "backfilled": backfilled,
				},
				"users/author/followers/r0": {"createdAt": stories.Day},
				"users/r0/following/author": {"indexId": "00001", "createdAt": stories.Day},
			})
			for n := range 6 {
				p := fmt.Sprintf("p%d", n)
				a.Post(p, "author", stories.Day.Add(time.Duration(n)*time.Hour))
				if !backfilled {
					continue
				}
				if err := a.Instance().Deliveries.Post(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
			w := a.Worker(0, testkit.Refusing(testkit.CommitOf("_relations/p0_00001")))
			for n := range 3 {
				r := fmt.Sprintf("r%d", n+1)
				a.Follow(r, "author")
				if err := w.Index.Graph.Follow(t.Context(), "author", r); err != nil {
					t.Fatal(err)
				}
				if err := w.Finish(a); err != nil {
					t.Fatal(err)
				}
				a.WantFeed(r, "p5", "p4", "p3", "p2", "p1")
				if job := a.Job(id); job.State != chunker.Done {
					t.Errorf("the job is %s, with the error %+v; want it done", job.State, job.Error)
				}
				a.WantTold("_relations/p0_00001")
			}
			a.RepairDamaged()
			a.WantTold()
			a.WantVerified()
		})
	}
}

// A relation that Firestore rejects does not keep repair from the author's other
// relations, index documents and strays.
func TestRepairSkipsRejectedRelation(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string]bool{"relations": false, "whole index documents": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true, InlineLimit: 1})
			for n := 1; n <= 6; n++ {
				for _, p := range []string{"p0", "p1"} {
					a.Must(a.Client.Doc(fmt.Sprintf("_relations/%s_%05d", p, n)).Update(t.Context(), []firestore.Update{{Path: "followers", Value: []string{}}}))
				}
				if whole {
					a.Must(a.Client.Doc(fmt.Sprintf("users/author/followers_index/%05d", n)).Update(t.Context(), []firestore.Update{{Path: "count", Value: 7}}))
				}
			}
			a.Must(a.Client.Doc("_relations/stray").Set(t.Context(), a.Data("_relations/p0_00001")))
			refused := "_relations/p0_00001"
			if whole {
				refused = "_relations/p0_00006" // newest first
			}
			_, err := repair.New(a.Instance(testkit.Refusing(testkit.CommitOf(refused)))).Repair(t.Context(), "", nil, nil)
			if !errors.Is(err, schema.ErrDamaged) || !strings.Contains(err.Error(), refused) {
				t.Errorf("repair ends with %v, want the relation that is refused", err)
			}
			for n := range 12 {
				want := []string{"p1", "p0"}
				if refused == fmt.Sprintf("_relations/p0_%05d", 1+n/2) {
					want = want[:1]
				}
				a.WantFeed(fmt.Sprintf("r%02d", n), want...)
			}
			if n := a.Count("_relations"); n != 12 {
				t.Errorf("%d relations, want the stray one deleted", n)
			}
			if _, err := repair.New(a.Instance()).Repair(t.Context(), "", nil, nil); err != nil {
				t.Error(err)
			}
			a.WantVerified()
		})
	}
}

// When Firestore rejects a transaction of deletions, they are retried one by one. A deletion
// that is rejected alone does not block the others.
func TestRejectedDeletionAffectsOnlyItself(t *testing.T) {
	t.Parallel()
	a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
	a.Must(a.Client.Doc("posts/p1").Delete(t.Context()))
	several := func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && len(commit.GetWrites()) > 1
	}
	refused := testkit.DeleteOf("_relations/p1_00003")
	if err := a.Instance(testkit.Refusing(func(req any) bool { return several(req) || refused(req) })).Deliveries.Post(t.Context(), "p1"); err != nil {
		t.Error(err)
	}
	a.WantTold("_relations/p1_00003")
	for n := range 12 {
		if n == 4 || n == 5 {
			a.WantFeed(fmt.Sprintf("r%02d", n), "p1", "p0")
		} else {
			a.WantFeed(fmt.Sprintf("r%02d", n), "p0")
		}
	}
	if err := a.Instance().Deliveries.Post(t.Context(), "p1"); err != nil {
		t.Error(err)
	}
	a.WantVerified()
}

// A relation with room for its followers but not for its copies is written without copies:
// for a new post, after an edit, and when its index document is copied again. Verify
// reports it, and repair ends.
func TestRelationWithoutRoomIsWrittenWithoutCopies(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}})
	ids := []string{"00001", "00002", "00003"}
	documents := map[string]map[string]any{
		"users/author": {"followers_index": ids, "latestFollowersIndex": "00003"},
		"posts/p":      {"userId": "author", "createdAt": stories.Day, "text": "x"},
	}
	for _, i := range ids {
		documents["users/author/followers_index/"+i] = map[string]any{
			"followers": []string{"r" + i}, "count": 1, "sizeBytes": 7, "version": 1, "changes": []any{}, "backfilled": i != "00001",
		}
		documents["users/author/followers/r"+i] = map[string]any{"createdAt": stories.Day}
		documents["users/r"+i+"/following/author"] = map[string]any{"indexId": i, "createdAt": stories.Day}
	}
	testkit.Write(t, a.Client, documents)
	refused := 0
	x := a.Instance(wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if commit, ok := req.(*pb.CommitRequest); ok {
			for _, w := range commit.GetWrites() {
				if _, copied := w.GetUpdate().GetFields()["text"]; copied && strings.HasSuffix(w.GetUpdate().GetName(), "/_relations/p_00002") {
					refused++
					return status.Error(codes.InvalidArgument, "too many index entries for entity")
				}
			}
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}})
	want := func(what, text string) {
		t.Helper()
		if refused == 0 {
			t.Errorf("%s: nothing was refused", what)
		}
		refused = 0
		for _, i := range ids {
			relation := a.Data("_relations/p_" + i)
			if got, copied := relation["text"]; copied == (i == "00002") || copied && got != text {
				t.Errorf("%s: relation %s has text %v", what, i, got)
			}
			a.WantFeed("r"+i, "p")
		}
	}
	if err := x.Deliveries.Post(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	want("a new post", "x")
	a.Edit("p", firestore.Update{Path: "text", Value: "y"})
	if err := x.Deliveries.Post(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	want("an edit", "y")
	a.Must(a.Client.Doc("users/author/followers_index/00002").Update(t.Context(), []firestore.Update{{Path: "backfilled", Value: false}}))
	if err := x.Graph.Follow(t.Context(), "author", "r00002"); err != nil {
		t.Error(err)
	}
	repaired, err := repair.New(x).Repair(t.Context(), "", nil, nil)
	if err != nil || len(repaired.Left) != 1 || !strings.HasSuffix(repaired.Left[0].Document, "_relations/p_00002") {
		t.Errorf("repair ends with %v and leaves %v, want the relation without copies", err, repaired.Left)
	}
	want("a repair", "y")
}
