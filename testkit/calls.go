package testkit

import (
	"context"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// CommitOf matches a commit that writes or deletes a document whose path begins with prefix.
func CommitOf(prefix string) func(any) bool {
	return func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		if !ok {
			return false
		}
		for _, w := range commit.GetWrites() {
			if name := w.GetUpdate().GetName() + w.GetDelete(); strings.Contains(name, "/documents/"+prefix) {
				return true
			}
		}
		return false
	}
}

// ReadOf matches a read of a document by name, in a transaction.
func ReadOf(document string) func(any) bool {
	return func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		if !ok || get.GetTransaction() == nil {
			return false
		}
		for _, name := range get.GetDocuments() {
			if strings.HasSuffix(name, "/documents/"+document) {
				return true
			}
		}
		return false
	}
}

// QueryOf matches a query over a collection.
func QueryOf(collection string) func(any) bool {
	return func(req any) bool {
		query, ok := req.(*pb.RunQueryRequest)
		return ok && query.GetStructuredQuery().GetFrom()[0].GetCollectionId() == collection
	}
}

// DeleteOf matches a commit whose first write deletes the document.
func DeleteOf(document string) func(any) bool {
	return func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && len(commit.GetWrites()) > 0 && strings.HasSuffix(commit.GetWrites()[0].GetDelete(), "/documents/"+document)
	}
}

// Answering calls answer before each unary call. The call fails with the error of answer; nil: it goes on.
func Answering(answer func(req any) error) wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if err := answer(req); err != nil {
			return err
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}

// Failing fails the matching calls with a code.
func Failing(code codes.Code, match func(req any) bool) wire.Interceptor {
	return Answering(func(req any) error {
		if match(req) {
			return status.Error(code, "of the test")
		}
		return nil
	})
}

// Refusing rejects the matching calls with InvalidArgument, as Firestore rejects a write that can
// never succeed.
func Refusing(match func(req any) bool) wire.Interceptor {
	return Failing(codes.InvalidArgument, match)
}

// SeeRequests calls see with each read that is sent.
func SeeRequests(see func(req any)) wire.Interceptor { return SeeMessages(see, func(any) {}) }

// SeeMessages calls send with each read that is sent, and got with each answer.
func SeeMessages(send, got func(m any)) wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return seenStream{s, send, got}, err
	}}
}

type seenStream struct {
	grpc.ClientStream
	send, got func(m any)
}

func (s seenStream) SendMsg(req any) error {
	s.send(req)
	return s.ClientStream.SendMsg(req)
}

func (s seenStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err == nil {
		s.got(m)
	}
	return err
}

// Oddities replaces texts, by values, in the documents that a client reads. The emulator does not
// store values that the client library cannot decode.
func Oddities(values map[string]*pb.Value) wire.Interceptor {
	var replace func(v *pb.Value)
	replace = func(v *pb.Value) {
		if odd := values[v.GetStringValue()]; odd != nil {
			v.ValueType = odd.GetValueType()
			return
		}
		for _, e := range v.GetArrayValue().GetValues() {
			replace(e)
		}
		for _, e := range v.GetMapValue().GetFields() {
			replace(e)
		}
	}
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return oddStream{s, replace}, err
	}}
}

type oddStream struct {
	grpc.ClientStream
	replace func(*pb.Value)
}

func (s oddStream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	var doc *pb.Document
	switch reply := reply.(type) {
	case *pb.BatchGetDocumentsResponse:
		doc = reply.GetFound()
	case *pb.RunQueryResponse:
		doc = reply.GetDocument()
	}
	for _, v := range doc.GetFields() {
		s.replace(v)
	}
	return err
}

// ReferenceTo returns a reference to a document. path is the document's full name.
func ReferenceTo(path string) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: path}}
}
