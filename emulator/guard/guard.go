package guard

import (
	"context"
	"fmt"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/internal/indexfile"
)

// Guard has a guard of queries and a guard of commits. Its methods may be called by several goroutines at
// once, and one Guard may serve any number of clients.
type Guard struct {
	// Indexes guards queries; nil: no query is rejected.
	Indexes *IndexGuard
	// Limits guards commits; nil: no commit is rejected, and nothing is read.
	Limits *LimitGuard
	// Refused, if it is set before the first call, gets the error of each rejected call. The caller gets
	// the same error.
	Refused func(error)
}

// Parse returns a Guard for the text of a firestore.indexes.json. The error of a mistake in
// the text names its place.
func Parse(data []byte) (*Guard, error) {
	file, err := indexfile.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("indexes of the guard: %w", err)
	}
	return New(file), nil
}

// New returns a Guard for a parsed firestore.indexes.json.
func New(file *indexfile.File) *Guard {
	return &Guard{Indexes: &IndexGuard{file: file}, Limits: &LimitGuard{file: file}}
}

// DialOptions returns the guards as options of a connection.
func (g *Guard) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(g.Unary), grpc.WithChainStreamInterceptor(g.Stream)}
}

// Close closes the connections on which the limit guard reads.
func (g *Guard) Close() error {
	if g.Limits == nil {
		return nil
	}
	return g.Limits.close()
}

func (g *Guard) refuse(err error) error {
	if g.Refused != nil {
		g.Refused(err)
	}
	return err
}

// Unary is a [grpc.UnaryClientInterceptor]: it guards Commit and BatchWrite.
// Put it behind interceptors that count or break calls, so that it sees the calls that reach
// the server.
func (g *Guard) Unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if g.Limits != nil {
		before := func(ctx context.Context, database string, names []string) (map[string]fields, error) {
			return g.Limits.read(ctx, cc.Target(), database, names)
		}
		if database, writes := transactions(req); writes != nil {
			entries, refusal, err := g.Limits.check(ctx, database, proto.Size(req.(proto.Message)), writes, before)
			if refusal != nil {
				return g.refuse(refusal)
			}
			if err != nil {
				return err
			}
			ctx = context.WithValue(ctx, entriesKey{}, entries)
		}
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

// Stream is a [grpc.StreamClientInterceptor]: it guards queries, aggregations
// and listens.
func (g *Guard) Stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	ctx, cancel := context.WithCancel(ctx)
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		cancel()
		return nil, err
	}
	return &stream{s, g, cancel}, nil
}

type stream struct {
	grpc.ClientStream
	guard  *Guard
	cancel context.CancelFunc // of a call that ends here
}

func (s *stream) SendMsg(req any) error {
	var err error
	switch r := req.(type) {
	case *pb.RunQueryRequest:
		err = s.guard.Indexes.Check(r.GetParent(), r.GetStructuredQuery(), nil)
	case *pb.RunAggregationQueryRequest:
		q := r.GetStructuredAggregationQuery()
		err = s.guard.Indexes.Check(r.GetParent(), q.GetStructuredQuery(), q.GetAggregations())
	case *pb.ListenRequest:
		if q := r.GetAddTarget().GetQuery(); q != nil {
			err = s.guard.Indexes.Check(q.GetParent(), q.GetStructuredQuery(), nil)
		}
	}
	if err != nil {
		s.cancel()
		return s.guard.refuse(err)
	}
	return s.ClientStream.SendMsg(req)
}

func (s *stream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	if err != nil {
		s.cancel()
	}
	return err
}
