package functions_test

import (
	"context"
	"testing"

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
