package wire

import (
	"context"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The answers to a call in a transaction that is over: it expired, or it was
// committed or rolled back. Both are InvalidArgument, and only their texts tell
// them from a request that is wrong.
const (
	closedInProduction = "transaction has expired"
	closedInEmulator   = "Transaction is invalid or closed"
)

// rerunClosed turns the answer that a transaction is over into Aborted, so that
// RunTransaction runs again. The client libraries for Node and Java do so
// (googleapis/nodejs-firestore#1347); the one for Go returns InvalidArgument,
// which says that no repetition helps, and a job would fail for good by it.
//
// It comes after a pause of the process in the middle of a transaction, and
// whenever the answer to a commit is lost: the client library repeats a Commit
// by itself on Unavailable and ResourceExhausted, with the same transaction,
// which the first try has closed. That transaction HAS been applied, so here
// Aborted does not mean that nothing was written. A transaction function
// therefore has to see in what it reads that its work is done, as it must for an
// event that comes twice.
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
