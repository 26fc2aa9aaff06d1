package timelines_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// Firestore ends the repair's list of a reader's documents after open, as it ends any query after
// a minute. Before the list goes on, open is closed. Its entries are in another document now, and
// not there twice.
func TestRepairQueryCutWhileOpenCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(2, 0)})
	w.joins("r1")
	for _, p := range []string{"p0", "p1", "p2", "p3"} {
		w.post(p)
	}
	_, err := w.client.Doc("users/r1/timeline/open").Update(t.Context(), []firestore.Update{{Path: "total", Value: 7}})
	w.must(err)
	ends := &ending{match: func(q *pb.RunQueryRequest) bool {
		return strings.HasSuffix(q.GetParent(), "/users/r1") && q.GetStructuredQuery().GetSelect() == nil
	}, then: func() { w.post("p4") }}
	_, err = entries.Repair(t.Context(), w.open(ends.Interceptor()).d, entries.Options{Report: func(entries.Problem) {}})
	w.must(err)
	if !ends.done.Load() {
		t.Fatal("no query was ended")
	}
	w.wantFeed("r1", "p4", "p3", "p2", "p1", "p0")
}

// ending ends the first query that matches after its first document, and then calls then.
type ending struct {
	match func(*pb.RunQueryRequest) bool
	then  func()
	done  atomic.Bool
}

func (e *ending) Interceptor() wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return &endingStream{ClientStream: s, ending: e}, err
	}}
}

type endingStream struct {
	grpc.ClientStream
	*ending
	matches, begun bool
}

func (s *endingStream) SendMsg(req any) error {
	q, ok := req.(*pb.RunQueryRequest)
	s.matches = ok && s.match(q)
	return s.ClientStream.SendMsg(req)
}

func (s *endingStream) RecvMsg(reply any) error {
	if s.begun && !s.done.Swap(true) {
		s.then()
		return status.Error(codes.Unavailable, "the query has ended")
	}
	err := s.ClientStream.RecvMsg(reply)
	if r, ok := reply.(*pb.RunQueryResponse); ok && s.matches && r.GetDocument() != nil {
		s.begun = true
	}
	return err
}
