package wire

import (
	"context"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Firestore's answers to a call in a transaction that has ended: expired, committed or rolled back. Both have
// the code InvalidArgument. Only their texts differ from the answer to an invalid request.
const (
	closedInProduction = "transaction has expired"
	closedInEmulator   = "Transaction is invalid or closed"
)

// rerunClosed turns the answer that a transaction has ended into Aborted, so that RunTransaction runs it
// again. The client libraries for Node and Java do the same (googleapis/nodejs-firestore#1347). The Go library
// returns InvalidArgument, which means that no retry helps; a job would fail for good.
//
// Firestore gives this answer when the process has paused during a transaction, or when the answer to a commit
// was lost. The client library retries a Commit on Unavailable and ResourceExhausted, with the same
// transaction, which the first try has closed. That first commit HAS been applied, so here Aborted does not
// mean that nothing was written.
//
// So the reads of a transaction function must show whether its work is done. Duplicate events require the
// same.
func rerunClosed(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	if commit, ok := req.(*pb.CommitRequest); ok && commit.GetTransaction() != nil {
		return abortedIfClosed(err)
	}
	return err
}

// rerunClosedReads does the same for reads in a transaction.
func rerunClosedReads(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		return nil, abortedIfClosed(err)
	}
	return closedStream{s}, nil
}

type closedStream struct{ grpc.ClientStream }

func (s closedStream) RecvMsg(reply any) error { return abortedIfClosed(s.ClientStream.RecvMsg(reply)) }

func abortedIfClosed(err error) error {
	s, ok := status.FromError(err)
	if !ok || s.Code() != codes.InvalidArgument {
		return err
	}
	if text := s.Message(); strings.Contains(text, closedInProduction) || strings.Contains(text, closedInEmulator) {
		return status.Error(codes.Aborted, text)
	}
	return err
}
