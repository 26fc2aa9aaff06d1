package wire

import (
	"context"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
)

// WithMask returns a context whose reads by name return only fields, also in transactions. It applies to reads
// whose documents all match, in place of earlier masks of ctx. The protocol has such a mask, but the
// client library does not offer it. Clients that [OpenDatabase] did not open return whole documents.
//
// A query by name with a projection would do the same. But for such a query, the emulator reads every document
// of all collections of that id.
func WithMask(ctx context.Context, match func(document string) bool, fields ...string) context.Context {
	paths := make([]string, len(fields))
	for n, field := range fields {
		paths[n] = pathOf(field)
	}
	earlier, _ := ctx.Value(maskKey{}).([]mask)
	return context.WithValue(ctx, maskKey{}, append([]mask{{match, paths}}, earlier...))
}

// pathOf returns the path of a field, which is quoted unless it is a simple name.
func pathOf(field string) string {
	for n, c := range []byte(field) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (n == 0 || c < '0' || c > '9') {
			return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(field) + "`"
		}
	}
	return field
}

// Unmasked returns a context in which no mask applies to reads while off returns true.
func Unmasked(ctx context.Context, off func() bool) context.Context {
	return context.WithValue(ctx, unmaskedKey{}, off)
}

type (
	maskKey     struct{}
	unmaskedKey struct{}
)

type mask struct {
	match  func(document string) bool
	fields []string
}

// matches reports whether the mask is for all documents of a read.
func (m mask) matches(req *pb.BatchGetDocumentsRequest) bool {
	return !slices.ContainsFunc(req.GetDocuments(), func(document string) bool { return !m.match(document) })
}

// maskReads applies the masks of a call's context.
func maskReads(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, cc, method, opts...)
	m, ok := ctx.Value(maskKey{}).([]mask)
	if err != nil || !ok {
		return s, err
	}
	off, _ := ctx.Value(unmaskedKey{}).(func() bool)
	return &maskedStream{s, m, off}, nil
}

type maskedStream struct {
	grpc.ClientStream
	masks []mask
	off   func() bool // nil: never
}

func (s *maskedStream) SendMsg(req any) error {
	if read, ok := req.(*pb.BatchGetDocumentsRequest); ok && (s.off == nil || !s.off()) {
		if n := slices.IndexFunc(s.masks, func(m mask) bool { return m.matches(read) }); n >= 0 {
			read.Mask = &pb.DocumentMask{FieldPaths: s.masks[n].fields}
		}
	}
	return s.ClientStream.SendMsg(req)
}
