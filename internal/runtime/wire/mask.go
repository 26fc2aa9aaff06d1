package wire

import (
	"context"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
)

// WithMask returns a context whose reads by name return only fields, also in
// transactions. It applies to reads whose documents all match. The protocol has such a
// mask, but the client library does not offer it. Clients of other functions than
// [OpenDatabase] return whole documents.
//
// A query by name with a projection would do the same. The emulator, however, answers it
// by reading every document of all collections of that id.
func WithMask(ctx context.Context, match func(document string) bool, fields ...string) context.Context {
	return context.WithValue(ctx, maskKey{}, mask{match, fields})
}

type maskKey struct{}

type mask struct {
	match  func(document string) bool
	fields []string
}

// apply sets the mask of a read if all its documents match.
func (m mask) apply(req *pb.BatchGetDocumentsRequest) {
	for _, document := range req.GetDocuments() {
		if !m.match(document) {
			return
		}
	}
	req.Mask = &pb.DocumentMask{FieldPaths: m.fields}
}

// maskReads applies the mask of a call's context.
func maskReads(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, cc, method, opts...)
	m, ok := ctx.Value(maskKey{}).(mask)
	if err != nil || !ok {
		return s, err
	}
	return &maskedStream{s, m}, nil
}

type maskedStream struct {
	grpc.ClientStream
	mask mask
}

func (s *maskedStream) SendMsg(req any) error {
	if read, ok := req.(*pb.BatchGetDocumentsRequest); ok {
		s.mask.apply(read)
	}
	return s.ClientStream.SendMsg(req)
}
