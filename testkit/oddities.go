package testkit

import (
	"context"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
)

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
