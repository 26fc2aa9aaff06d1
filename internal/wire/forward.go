package wire

import (
	"context"
	"errors"
	"io"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// forward is Firestore's service, each method passed on. Errors keep their
// status.
type forward struct {
	pb.UnimplementedFirestoreServer
	to pb.FirestoreClient
}

func (f forward) GetDocument(ctx context.Context, req *pb.GetDocumentRequest) (*pb.Document, error) {
	return f.to.GetDocument(forwarded(ctx), req)
}

func (f forward) ListDocuments(ctx context.Context, req *pb.ListDocumentsRequest) (*pb.ListDocumentsResponse, error) {
	return f.to.ListDocuments(forwarded(ctx), req)
}

func (f forward) UpdateDocument(ctx context.Context, req *pb.UpdateDocumentRequest) (*pb.Document, error) {
	return f.to.UpdateDocument(forwarded(ctx), req)
}

func (f forward) DeleteDocument(ctx context.Context, req *pb.DeleteDocumentRequest) (*emptypb.Empty, error) {
	return f.to.DeleteDocument(forwarded(ctx), req)
}

func (f forward) BeginTransaction(ctx context.Context, req *pb.BeginTransactionRequest) (*pb.BeginTransactionResponse, error) {
	return f.to.BeginTransaction(forwarded(ctx), req)
}

func (f forward) Commit(ctx context.Context, req *pb.CommitRequest) (*pb.CommitResponse, error) {
	return f.to.Commit(forwarded(ctx), req)
}

func (f forward) Rollback(ctx context.Context, req *pb.RollbackRequest) (*emptypb.Empty, error) {
	return f.to.Rollback(forwarded(ctx), req)
}

func (f forward) PartitionQuery(ctx context.Context, req *pb.PartitionQueryRequest) (*pb.PartitionQueryResponse, error) {
	return f.to.PartitionQuery(forwarded(ctx), req)
}

func (f forward) ListCollectionIds(ctx context.Context, req *pb.ListCollectionIdsRequest) (*pb.ListCollectionIdsResponse, error) {
	return f.to.ListCollectionIds(forwarded(ctx), req)
}

func (f forward) BatchWrite(ctx context.Context, req *pb.BatchWriteRequest) (*pb.BatchWriteResponse, error) {
	return f.to.BatchWrite(forwarded(ctx), req)
}

func (f forward) BatchGetDocuments(req *pb.BatchGetDocumentsRequest, s pb.Firestore_BatchGetDocumentsServer) error {
	return answers(f.to.BatchGetDocuments, req, s)
}

func (f forward) RunQuery(req *pb.RunQueryRequest, s pb.Firestore_RunQueryServer) error {
	return answers(f.to.RunQuery, req, s)
}

func (f forward) RunAggregationQuery(req *pb.RunAggregationQueryRequest, s pb.Firestore_RunAggregationQueryServer) error {
	return answers(f.to.RunAggregationQuery, req, s)
}

func (f forward) ExecutePipeline(req *pb.ExecutePipelineRequest, s pb.Firestore_ExecutePipelineServer) error {
	return answers(f.to.ExecutePipeline, req, s)
}

func (f forward) Write(s pb.Firestore_WriteServer) error { return converse(f.to.Write, s) }

func (f forward) Listen(s pb.Firestore_ListenServer) error { return converse(f.to.Listen, s) }

// The ends of a stream: towards the server and towards the caller.
type (
	receiver[A any] interface{ Recv() (*A, error) }
	answerer[A any] interface {
		Send(answer *A) error
		Context() context.Context
	}
	asking[Q, A any] interface {
		receiver[A]
		Send(req *Q) error
		CloseSend() error
	}
	asked[Q, A any] interface {
		answerer[A]
		Recv() (*Q, error)
	}
)

// answers passes one request on, and each message of its answer back.
func answers[Q, A any, R receiver[A], S answerer[A]](call func(context.Context, *Q, ...grpc.CallOption) (R, error), req *Q, back S) error {
	from, err := call(forwarded(back.Context()), req)
	if err != nil {
		return err
	}
	return passBack(from, back)
}

func passBack[A any, R receiver[A], S answerer[A]](from R, back S) error {
	for {
		answer, err := from.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = back.Send(answer)
		}
		if err != nil {
			return err
		}
	}
}

// converse passes on messages both ways until the server ends it, or the caller
// has gone.
func converse[Q, A any, T asking[Q, A], W asked[Q, A]](call func(context.Context, ...grpc.CallOption) (T, error), with W) error {
	ctx, cancel := context.WithCancel(forwarded(with.Context()))
	defer cancel()
	to, err := call(ctx)
	if err != nil {
		return err
	}
	go func() {
		for {
			req, err := with.Recv()
			if errors.Is(err, io.EOF) {
				_ = to.CloseSend() // its answers may still come
				return
			}
			if err != nil || to.Send(req) != nil {
				cancel() // the reason comes with the answers
				return
			}
		}
	}()
	return passBack(to, with)
}
