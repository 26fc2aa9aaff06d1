package followers_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// arrays counts the index documents that are read whole and whose relation is
// not written yet. Relations are written when all passes have asked what is stale.
type arrays struct {
	passes     int
	mu         sync.Mutex
	asked      int
	held, most int
	ready      chan struct{}
}

func (a *arrays) sent(req any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch req := req.(type) {
	case *pb.BatchGetDocumentsRequest:
		if len(req.GetDocuments()) == 1 && strings.Contains(req.GetDocuments()[0], "/followers_index/") && req.GetMask() == nil {
			a.held++
			a.most = max(a.most, a.held)
		}
	case *pb.RunQueryRequest:
		if req.GetStructuredQuery().GetFrom()[0].GetCollectionId() == "_relations" {
			if a.asked++; a.asked == a.passes {
				close(a.ready)
			}
		}
	}
}

func (a *arrays) interceptor() wire.Interceptor {
	return wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if !testkit.CommitOf("_relations/")(req) {
				return invoke(ctx, method, req, reply, cc, opts...)
			}
			select {
			case <-a.ready:
			case <-ctx.Done():
			}
			defer func() {
				a.mu.Lock()
				defer a.mu.Unlock()
				a.held--
			}()
			return invoke(ctx, method, req, reply, cc, opts...)
		},
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			s, err := open(ctx, desc, cc, method, opts...)
			return &arraysStream{s, a}, err
		},
	}
}

type arraysStream struct {
	grpc.ClientStream
	arrays *arrays
}

func (s *arraysStream) SendMsg(req any) error {
	s.arrays.sent(req)
	return s.ClientStream.SendMsg(req)
}

// Passes of sync whose change log is too short hold whole arrays. All passes of a process
// together stay within its memory budget.
func TestWholeArrayPassesShareMemoryBudget(t *testing.T) {
	t.Parallel()
	const passes, budget = 24, 8 << 20
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
	documents := map[string]map[string]any{}
	for n := range passes {
		author := fmt.Sprintf("author%02d", n)
		documents["users/"+author] = map[string]any{"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"}
		documents["users/"+author+"/followers_index/00001"] = map[string]any{
			"followers": []string{"reader"}, "count": 1, "sizeBytes": 7, "version": 5, "changes": []any{}, "backfilled": true,
		}
		documents["users/gone/following/"+author] = map[string]any{"left": []string{"00001"}, "createdAt": stories.Day}
		documents["posts/"+author] = map[string]any{"userId": author, "createdAt": stories.Day}
		documents["_relations/"+author+"_00001"] = map[string]any{
			"postId": author, "userId": author, "audience": author, "indexId": "00001", "indexVersion": 2, "followers": []string{"gone"}, "sizeBytes": 5, "createdAt": stories.Day,
		}
	}
	testkit.Write(t, a.Client, documents)
	counted := &arrays{passes: passes, ready: make(chan struct{})}
	x := a.Instance(counted.interceptor())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var clients sync.WaitGroup
	for n := range passes {
		clients.Go(func() {
			testkit.NoError(t, x.Graph.Follow(ctx, fmt.Sprintf("author%02d", n), "gone"))
		})
	}
	clients.Wait()
	if size := schema.DefaultFollowersBytes; counted.most*size > budget {
		t.Errorf("%d arrays of %d bytes are held at once, want at most %d bytes", counted.most, size, budget)
	}
	if counted.most == 0 {
		t.Error("no array was read whole")
	}
	for n := range passes {
		if got := a.Data(fmt.Sprintf("_relations/author%02d_00001", n)); got["indexVersion"] != int64(5) {
			t.Errorf("relation of author%02d has version %v, want 5", n, got["indexVersion"])
		}
	}
}
