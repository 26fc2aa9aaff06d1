package functions_test

import (
	"context"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/testkit"
	"example.com/relationindex/internal/wire"
)

// A relation that Firestore refuses is written in one transaction with others:
// those are written all the same.
func TestARelationThatIsRefusedHarmsItselfAlone(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{})
	ids := []string{"00001", "00002", "00003", "00004"}
	documents := map[string]map[string]any{
		"users/author": {"followers_index": ids, "latestFollowersIndex": "00004"},
		"posts/p":      {"userId": "author", "createdAt": day},
	}
	for _, i := range ids {
		documents["users/author/followers_index/"+i] = map[string]any{
			"followers": []string{"r" + i}, "count": 1, "sizeBytes": 7, "version": 1, "changes": []any{}, "backfilled": true,
		}
	}
	testkit.Write(t, a.Client, documents)
	refuse := wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if commitOf("_relations/p_00002")(req) {
			return status.Error(codes.InvalidArgument, "too many index entries for entity")
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
	if err := a.Instance(refuse).Post(t.Context(), "p"); status.Code(err) != codes.InvalidArgument {
		t.Errorf("the event ends with %v, want that it comes again", err)
	}
	for i, want := range map[string]int{"00001": 1, "00002": 0, "00003": 1, "00004": 1} {
		if got := len(a.Feed("r" + i)); got != want {
			t.Errorf("the follower in %s sees %d posts, want %d", i, got, want)
		}
	}
}

// A relation that has room for its followers and not for what it copies is
// written without copies: where the post is new, where it is edited, and where its
// index document is copied anew. Verify says so, and repair ends.
func TestARelationThatHasNoRoomForCopiesIsWrittenBare(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{CopiedFields: []string{"text"}})
	ids := []string{"00001", "00002", "00003"}
	documents := map[string]map[string]any{
		"users/author": {"followers_index": ids, "latestFollowersIndex": "00003"},
		"posts/p":      {"userId": "author", "createdAt": day, "text": "x"},
	}
	for _, i := range ids {
		documents["users/author/followers_index/"+i] = map[string]any{
			"followers": []string{"r" + i}, "count": 1, "sizeBytes": 7, "version": 1, "changes": []any{}, "backfilled": i != "00001",
		}
		documents["users/author/followers/r"+i] = map[string]any{"createdAt": day}
		documents["users/r"+i+"/following/author"] = map[string]any{"indexId": i, "createdAt": day}
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
	if err := x.Post(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	want("a new post", "x")
	a.Edit("p", firestore.Update{Path: "text", Value: "y"})
	if err := x.Post(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	want("an edit", "y")
	a.Must(a.Client.Doc("users/author/followers_index/00002").Update(t.Context(), []firestore.Update{{Path: "backfilled", Value: false}}))
	if err := x.Follow(t.Context(), "author", "r00002"); err != nil {
		t.Error(err)
	}
	repaired, err := x.Repair(t.Context(), "", nil, nil)
	if err != nil || len(repaired.Left) != 1 || !strings.HasSuffix(repaired.Left[0].Document, "_relations/p_00002") {
		t.Errorf("repair ends with %v and leaves %v, want the relation without copies", err, repaired.Left)
	}
	want("a repair", "y")
}
