package indexfile

import (
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// NameBytes returns the size of a document's name, given its path ("users/u"): the bytes
// of each segment, 1 for each segment, and 16. This follows "Storage size calculations"
// (read November 2026). The size is 0 for "", which is no document.
func NameBytes(path string) int {
	if path == "" {
		return 0
	}
	return len(path) + 1 + 16 // the slashes count for the other segments
}

// ValueBytes returns the size of a value, by the same page. A value that is
// not set has size 0.
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

// DocumentBytes returns the size of a document, by the same page.
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

// PathOf returns the path of a document in its database, given its full name: "users/u"
// of "projects/p/databases/d/documents/users/u".
func PathOf(name string) string {
	_, path, ok := strings.Cut(name, "/documents/")
	if !ok {
		return name
	}
	return path
}
