package relations_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// largest notes the most bytes of posts in one answer to a read by name.
type largest struct {
	mu    sync.Mutex
	bytes int
}

func (l *largest) interceptor() wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return &largestStream{ClientStream: s, of: l}, err
	}}
}

type largestStream struct {
	grpc.ClientStream
	of    *largest
	bytes int
}

func (s *largestStream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	if get, ok := reply.(*pb.BatchGetDocumentsResponse); ok && err == nil && strings.Contains(get.GetFound().GetName(), "/posts/") {
		s.bytes += proto.Size(get)
		s.of.mu.Lock()
		s.of.bytes = max(s.of.bytes, s.bytes)
		s.of.mu.Unlock()
	}
	return err
}

// The backfill of an author with large posts reads only copied fields, and no more at once than
// its share of the memory.
func TestBackfillReadsCopiesWithinMemoryShare(t *testing.T) {
	t.Parallel()
	const size, posts = 100 << 10, 40
	for name, c := range map[string]struct {
		cfg  schema.Config
		most int
	}{
		"relations without the text": {schema.Config{NoOwnPosts: true}, size / 2},
		"relations with the text":    {schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}}, 2*schema.DefaultFollowersBytes + 2*schema.MaxDocumentBytes},
		"timelines without the text": {schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Backfill: posts}, size / 2},
		"timelines with the text":    {schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Backfill: posts, CopiedFields: []string{"text"}}, schema.MaxDocumentBytes + 2*size},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.OpenApp(t, c.cfg)
			documents := map[string]map[string]any{}
			for n := range posts {
				documents[fmt.Sprintf("posts/p%02d", n)] = map[string]any{
					"userId": "ada", "audience": "ada", "hidden": false, "createdAt": stories.Day.Add(time.Duration(n) * time.Minute), "text": strings.Repeat("x", size),
				}
			}
			testkit.Write(t, a.Client, documents)
			a.Follow("bob", "ada")
			var read largest
			a.OK(a.Instance(read.interceptor()).Graph.Follow(t.Context(), "ada", "bob"))
			got := a.Count("_relations")
			if !c.cfg.Relations() {
				got = a.Count("users/bob/timeline")
			}
			if got != posts || read.bytes > c.most || read.bytes == 0 {
				t.Errorf("%d posts come, and %d bytes are read at once; want %d posts and at most %d bytes", got, read.bytes, posts, c.most)
			}
		})
	}
}
