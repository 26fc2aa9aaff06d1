package feed_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// between does something once, after the first answer to a call and before another call.
type between struct {
	first, then func(req any) bool
	do          func()
	once        sync.Once
	done        chan struct{}
}

func newBetween(first, then func(req any) bool) *between {
	return &between{first: first, then: then, done: make(chan struct{})}
}

func (b *between) interceptor() wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return &betweenStream{ClientStream: s, between: b}, err
	}}
}

type betweenStream struct {
	grpc.ClientStream
	between *between
	first   bool
}

func (s *betweenStream) SendMsg(req any) error {
	s.first = s.between.first(req)
	if s.between.then(req) {
		<-s.between.done
	}
	return s.ClientStream.SendMsg(req)
}

func (s *betweenStream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	if s.first && errors.Is(err, io.EOF) {
		s.between.once.Do(func() {
			defer close(s.between.done) // also after Fatal
			s.between.do()
		})
	}
	return err
}

// asks reports whether a call is a query of a collection, with text in its filter.
func asks(collection, text string) func(req any) bool {
	return func(req any) bool {
		query, ok := req.(*pb.RunQueryRequest)
		return ok && query.GetStructuredQuery().GetFrom()[0].GetCollectionId() == collection && strings.Contains(query.String(), text)
	}
}

// A page asks several queries, and 200 posts of one author arrive between two of them.
func TestPullPageDuringNewPosts(t *testing.T) {
	t.Parallel()
	followed := numbered(31)
	author, others := asks("posts", `"u0003"`), asks("posts", `"u0030"`) // one of the first 30, the last
	for name, b := range map[string]*between{
		"the author's posts are read before": newBetween(author, others),
		"the author's posts are read after":  newBetween(others, author),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newDatabaseFor(t, schema.Config{NoOwnPosts: true, PostsFilled: true}, b.interceptor())
			documents := edges(followed...)
			var want []string
			for i := range 60 {
				id, u := fmt.Sprintf("p%02d", i), []string{"u0003", "u0030", "u0017"}[i%3]
				documents["posts/"+id] = map[string]any{"userId": u, "audience": u, "createdAt": noon.Add(-time.Duration(i/2) * time.Second)}
				want = append(want, id)
			}
			db.write(documents)
			b.do = func() {
				arriving := map[string]map[string]any{}
				for i := range 200 { // newer than all, as old as some, and between
					arriving[fmt.Sprintf("posts/n%03d", i)] = map[string]any{"userId": "u0003", "audience": "u0003", "createdAt": noon.Add(time.Duration(100-i) * 250 * time.Millisecond)}
				}
				db.write(arriving)
			}
			seen := map[string]int{}
			for cursor, n := "", 0; n < 100; n++ {
				p := db.pull(20, cursor)
				for _, post := range p.Posts {
					seen[post.ID]++
				}
				if cursor = p.Cursor; cursor == "" {
					break
				}
			}
			select {
			case <-b.done:
			default:
				t.Fatal("no posts arrived")
			}
			for id, n := range seen {
				if n > 1 {
					t.Errorf("%s came %d times", id, n)
				}
			}
			old := slices.DeleteFunc(slices.Sorted(maps.Keys(seen)), func(id string) bool { return id[0] == 'n' })
			slices.Sort(want)
			if diff := cmp.Diff(want, old); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			t.Logf("%d of the posts that arrived were seen", len(seen)-len(old))
		})
	}
}
