package testkit

import (
	"context"
	"strings"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit/oracle"
)

// Record makes a client note its writes in h, at the server's commit times. Documents must have plain
// field names. A write whose answer is lost is not in h: see [oracle.History.End].
func Record(h *oracle.History) wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		commit, ok := req.(*pb.CommitRequest)
		answer, also := reply.(*pb.CommitResponse)
		if err != nil || !ok || !also {
			return err
		}
		at := answer.GetCommitTime().AsTime()
		for n, w := range commit.GetWrites() {
			if name := w.GetDelete(); name != "" {
				h.Delete(pathOf(name), at)
			} else if doc := w.GetUpdate(); doc != nil {
				path := pathOf(doc.GetName())
				h.Write(path, at, written(w, answer.GetWriteResults()[n], h.Fields(path)))
			}
		}
		return nil
	}}
}

// written returns the fields of a document after a write. before has the fields before it.
func written(w *pb.Write, result *pb.WriteResult, before map[string]any) map[string]any {
	fields := map[string]any{}
	for name, value := range w.GetUpdate().GetFields() {
		fields[name] = valueOf(value)
	}
	if w.GetUpdateMask() != nil {
		merged := map[string]any{}
		for name, value := range before {
			merged[name] = value
		}
		for _, name := range w.GetUpdateMask().GetFieldPaths() {
			if delete(merged, name); fields[name] != nil {
				merged[name] = fields[name]
			}
		}
		fields = merged
	}
	for n, t := range w.GetUpdateTransforms() {
		fields[t.GetFieldPath()] = valueOf(result.GetTransformResults()[n])
	}
	return fields
}

// pathOf returns the document's path below the database.
func pathOf(name string) string {
	_, path, _ := strings.Cut(name, "/documents/")
	return path
}

// valueOf returns a value as the client library decodes it.
func valueOf(v *pb.Value) any {
	switch v := v.GetValueType().(type) {
	case *pb.Value_StringValue:
		return v.StringValue
	case *pb.Value_BooleanValue:
		return v.BooleanValue
	case *pb.Value_IntegerValue:
		return v.IntegerValue
	case *pb.Value_DoubleValue:
		return v.DoubleValue
	case *pb.Value_TimestampValue:
		return v.TimestampValue.AsTime().Truncate(time.Microsecond)
	case *pb.Value_ArrayValue:
		all := make([]any, len(v.ArrayValue.GetValues()))
		for n, element := range v.ArrayValue.GetValues() {
			all[n] = valueOf(element)
		}
		return all
	case *pb.Value_MapValue:
		all := map[string]any{}
		for name, element := range v.MapValue.GetFields() {
			all[name] = valueOf(element)
		}
		return all
	default:
		return nil // null, and types that our clients never write
	}
}
