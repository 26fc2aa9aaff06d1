package guard

import (
	"maps"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// fields are the fields of a document; nil is no document.
type fields = map[string]*pb.Value

// target returns the full name of a write's document, and whether the write changes
// the document.
func target(w *pb.Write) (name string, changes bool) {
	switch op := w.GetOperation().(type) {
	case *pb.Write_Update:
		return op.Update.GetName(), true
	case *pb.Write_Delete:
		return op.Delete, true
	case *pb.Write_Transform:
		return op.Transform.GetDocument(), true
	default: // a precondition alone
		return "", false
	}
}

// creates reports whether a write requires that the document does not exist.
func creates(w *pb.Write) bool {
	c, ok := w.GetCurrentDocument().GetConditionType().(*pb.Precondition_Exists)
	return ok && !c.Exists
}

// apply returns a document after a write. It changes neither the document nor the write.
func apply(before fields, w *pb.Write) fields {
	switch op := w.GetOperation().(type) {
	case *pb.Write_Delete:
		return nil
	case *pb.Write_Transform:
		return transform(maps.Clone(before), op.Transform.GetFieldTransforms())
	case *pb.Write_Update:
		after := maps.Clone(op.Update.GetFields())
		if w.GetUpdateMask() != nil {
			after = maps.Clone(before)
			for _, path := range w.GetUpdateMask().GetFieldPaths() {
				segments := split(path)
				after = set(after, segments, get(op.Update.GetFields(), segments))
			}
		}
		return transform(after, w.GetUpdateTransforms())
	default:
		return before
	}
}

func transform(f fields, ts []*pb.DocumentTransform_FieldTransform) fields {
	if f == nil {
		f = fields{} // an empty document
	}
	for _, t := range ts {
		segments := split(t.GetFieldPath())
		f = set(f, segments, transformed(get(f, segments), t))
	}
	return f
}

// transformed returns a value after a transform, with the size after it.
func transformed(v *pb.Value, t *pb.DocumentTransform_FieldTransform) *pb.Value {
	list := func(vs []*pb.Value) *pb.Value {
		return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: vs}}}
	}
	old := v.GetArrayValue().GetValues()
	switch t := t.GetTransformType().(type) {
	case *pb.DocumentTransform_FieldTransform_SetToServerValue:
		return &pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: timestamppb.Now()}}
	case *pb.DocumentTransform_FieldTransform_AppendMissingElements:
		all, seen := slices.Clone(old), keys(old)
		for _, e := range t.AppendMissingElements.GetValues() {
			if k := key(e); !seen[k] {
				seen[k] = true
				all = append(all, e)
			}
		}
		return list(all)
	case *pb.DocumentTransform_FieldTransform_RemoveAllFromArray:
		gone := keys(t.RemoveAllFromArray.GetValues())
		return list(slices.DeleteFunc(slices.Clone(old), func(e *pb.Value) bool { return gone[key(e)] }))
	default: // increment, maximum, minimum: a number
		return &pb.Value{ValueType: &pb.Value_IntegerValue{}}
	}
}

func keys(vs []*pb.Value) map[string]bool {
	all := make(map[string]bool, len(vs))
	for _, v := range vs {
		all[key(v)] = true
	}
	return all
}

// key returns the same text for equal values.
func key(v *pb.Value) string {
	if s, ok := v.GetValueType().(*pb.Value_StringValue); ok {
		return s.StringValue
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(v)
	if err != nil {
		return v.String()
	}
	return "\x00" + string(b)
}

// get returns the value at a path, nil if there is none.
func get(f fields, path []string) *pb.Value {
	v := f[path[0]]
	if len(path) == 1 {
		return v
	}
	return get(v.GetMapValue().GetFields(), path[1:])
}

// set returns f with v as the value at a path; a nil v removes the value. It changes
// f, and copies the maps on the path.
func set(f fields, path []string, v *pb.Value) fields {
	if f == nil {
		f = fields{}
	}
	switch {
	case len(path) > 1:
		inner := set(maps.Clone(f[path[0]].GetMapValue().GetFields()), path[1:], v)
		if v != nil || f[path[0]].GetMapValue() != nil {
			f[path[0]] = &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: inner}}}
		}
	case v == nil:
		delete(f, path[0])
	default:
		f[path[0]] = v
	}
	return f
}

// split splits a field path: "a.`b.c`" has a and b.c.
func split(path string) []string {
	var segments []string
	var b strings.Builder
	quoted := false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '`':
			quoted = !quoted
		case c == '\\' && quoted && i+1 < len(path):
			i++
			b.WriteByte(path[i])
		case c == '.' && !quoted:
			segments = append(segments, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(segments, b.String())
}
