package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrNoIndex means that a query lacks an index, or that the index is not built yet. The error includes
// Firestore's text, which names the index or links to it.
var ErrNoIndex = errors.New("a query lacks an index: deploy firestore.indexes.json, and wait until its indexes are built")

// tellNoIndex turns FailedPrecondition of a query into ErrNoIndex, which has no gRPC status. A commit fails
// with the same code if a document has changed since it was read. After that error, the caller plans again at once.
// Without an index, this would not help.
func tellNoIndex(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, cc, method, opts...)
	if !strings.HasSuffix(method, "/RunQuery") && !strings.HasSuffix(method, "/RunAggregationQuery") {
		return s, err
	}
	if err != nil {
		return nil, noIndex(err)
	}
	return queryStream{s}, nil
}

type queryStream struct{ grpc.ClientStream }

func (s queryStream) SendMsg(req any) error { return noIndex(s.ClientStream.SendMsg(req)) }

func (s queryStream) RecvMsg(reply any) error { return noIndex(s.ClientStream.RecvMsg(reply)) }

func noIndex(err error) error {
	if status.Code(err) != codes.FailedPrecondition {
		return err
	}
	return fmt.Errorf("%w: %s", ErrNoIndex, status.Convert(err).Message())
}
