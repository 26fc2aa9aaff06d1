package followers_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// overwrite writes the author's user document as such a server does.
func overwrite(a *testkit.App, fields map[string]any) {
	a.T.Helper()
	data := map[string]any{"name": "Ada"}
	maps.Copy(data, fields)
	a.Must(a.Client.Doc("users/author").Set(a.T.Context(), data))
}

// naming are the fields of a user document that names n index documents.
func naming(n int) map[string]any {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%05d", i+1)
	}
	return map[string]any{"followers_index": ids, "latestFollowersIndex": ids[n-1]}
}

// lockedQueries counts the queries that are sent in a transaction, by
// collection: each locks all that it looks at.
type lockedQueries struct {
	mu    sync.Mutex
	count map[string]int
}

func (q *lockedQueries) interceptor() wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return &countedStream{s, q}, err
	}}
}

type countedStream struct {
	grpc.ClientStream
	queries *lockedQueries
}

func (s *countedStream) SendMsg(req any) error {
	if q, ok := req.(*pb.RunQueryRequest); ok && q.GetConsistencySelector() != nil {
		s.queries.mu.Lock()
		s.queries.count[q.GetStructuredQuery().GetFrom()[0].GetCollectionId()]++
		s.queries.mu.Unlock()
	}
	return s.ClientStream.SendMsg(req)
}

// With the list of index documents in its transaction, each batch after such a
// write locks them all, and waits for every other batch of the author.
func TestNoTransactionLocksTheListOfIndexDocuments(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Silence()
	queries := lockedQueries{count: map[string]int{}}
	x := a.Instance(queries.interceptor())
	follow := func(f string) {
		t.Helper()
		testkit.NoError(t, x.Graph.Follow(t.Context(), "author", f))
	}
	for n := range 3 {
		f := fmt.Sprintf("r%d", n)
		a.Follow(f, "author")
		follow(f)
	}
	for _, fields := range []map[string]any{nil, naming(1), {"followers_index": 5}} {
		overwrite(a, fields)
		for n := range 3 {
			f := fmt.Sprintf("s%d", n)
			a.Follow(f, "author")
			follow(f)
		}
		overwrite(a, fields)
		a.Post("p1", "author", stories.Day)
		testkit.NoError(t, x.Deliveries.Post(t.Context(), "p1"))
		overwrite(a, fields)
		if _, err := repair.New(x).Repair(t.Context(), "author", nil, nil); err != nil {
			t.Error(err)
		}
		a.WantVerified()
		for n := range 3 {
			f := fmt.Sprintf("s%d", n)
			a.Unfollow(f, "author")
			follow(f)
		}
	}
	if len(queries.count) > 0 {
		t.Errorf("queries in transactions: %v, want none", queries.count)
	}
	a.WantVerified()
}

// One process found the user document without its fields, has listed the index documents
// and is about to name them. Meanwhile another process opens one. The outdated list must
// not be written.
func TestRaceRepairOfTheDirectory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		overwritten map[string]any
		first       func(*testkit.App, wire.Interceptor) error
	}{
		"a post": {nil, func(a *testkit.App, i wire.Interceptor) error {
			a.Post("p1", "author", stories.Day)
			return a.Instance(i).Deliveries.Post(a.T.Context(), "p1")
		}},
		"an unfollow": {map[string]any{"followers_index": 5}, func(a *testkit.App, i wire.Interceptor) error {
			a.Unfollow("r1", "author")
			return a.Instance(i).Graph.Follow(a.T.Context(), "author", "r1")
		}},
		"a follow that opens a document too": {nil, func(a *testkit.App, i wire.Interceptor) error {
			a.Follow("r9", "author")
			return a.Instance(i).Graph.Follow(a.T.Context(), "author", "r9")
		}},
		"a repair": {nil, func(a *testkit.App, i wire.Interceptor) error {
			_, err := repair.New(a.Instance(i)).Repair(a.T.Context(), "author", nil, nil)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1})
			a.Follow("r1", "author")
			a.Settle()
			a.Follow("r2", "author")
			a.Settle()
			a.Silence()
			overwrite(a, c.overwritten)
			held := testkit.NewGate(t, testkit.CommitOf("users/author"))
			ended := make(chan error, 1)
			go func() { ended <- c.first(a, held.Interceptor()) }()
			held.Await()
			a.Follow("r3", "author")
			if err := a.Instance().Graph.Follow(t.Context(), "author", "r3"); err != nil {
				t.Error("the second:", err)
			}
			held.Open()
			if err := <-ended; err != nil {
				t.Error("the first:", err)
			}
			a.WantVerified()
		})
	}
}
