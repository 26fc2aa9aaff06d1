package indexfile

import (
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// NameBytes is the size of a document's name, given its path ("users/u"), as
// "Storage size calculations" counts it (read November 2026): the bytes of each
// segment and one more, and 16. It is 0 for "", which is no document.
func NameBytes(path string) int {
	if path == "" {
		return 0
	}
	return len(path) + 1 + 16 // the slashes are the segments' one more
}

// ValueBytes is the size of a value, as the same page counts it. A value that
// is not set is 0.
func ValueBytes(v *pb.Value) int {
	switch v := v.GetValueType().(type) {
	case *pb.Value_StringValue:
		return len(v.StringValue) + 1
	case *pb.Value_BytesValue:
		return len(v.BytesValue)
	case *pb.Value_BooleanValue, *pb.Value_NullValue:
		return 1
	case *pb.Value_IntegerValue, *pb.Value_DoubleValue, *pb.Value_TimestampValue:
		return 8
	case *pb.Value_GeoPointValue:
		return 16
	case *pb.Value_ReferenceValue:
		return NameBytes(PathOf(v.ReferenceValue))
	case *pb.Value_ArrayValue:
		size := 0
		for _, e := range v.ArrayValue.GetValues() {
			size += ValueBytes(e)
		}
		return size
	case *pb.Value_MapValue: // "calculated the same way as document size"
		return 32 + fieldsBytes(v.MapValue.GetFields())
	default:
		return 0
	}
}

// DocumentBytes is the size of a document.
func DocumentBytes(path string, fields map[string]*pb.Value) int {
	return NameBytes(path) + fieldsBytes(fields) + 32
}

func fieldsBytes(fields map[string]*pb.Value) int {
	size := 0
	for name, v := range fields {
		size += len(name) + 1 + ValueBytes(v)
	}
	return size
}

// PathOf is the path of a document in its database, given its full name:
// "users/u" of "projects/p/databases/d/documents/users/u".
func PathOf(name string) string {
	_, path, ok := strings.Cut(name, "/documents/")
	if !ok {
		return name
	}
	return path
}
