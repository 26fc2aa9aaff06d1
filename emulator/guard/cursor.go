package guard

import (
	"cmp"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// beyond reports whether a cursor of q is outside the range that filters set for the first field of its order.
// Production answers InvalidArgument then ("cursor position is outside the range of the original query":
// firebase-admin-node, issue 591), and the emulator an empty or shortened list. A cursor at an exclusive bound of a
// range counts as outside. Values that [compare] cannot compare count as inside.
func beyond(q *pb.StructuredQuery) bool {
	if len(q.GetOrderBy()) == 0 {
		return false
	}
	by := q.GetOrderBy()[0].GetField().GetFieldPath()
	for _, cursor := range []*pb.Cursor{q.GetStartAt(), q.GetEndAt()} {
		if len(cursor.GetValues()) > 0 && !within(q.GetWhere(), by, cursor.GetValues()[0]) {
			return true
		}
	}
	return false
}

// within reports whether a value of a field passes the ranges of a filter.
func within(f *pb.StructuredQuery_Filter, path string, value *pb.Value) bool {
	if all := f.GetCompositeFilter(); all.GetOp() == pb.StructuredQuery_CompositeFilter_AND {
		return !slices.ContainsFunc(all.GetFilters(), func(part *pb.StructuredQuery_Filter) bool { return !within(part, path, value) })
	}
	field := f.GetFieldFilter()
	order, known := compare(value, field.GetValue())
	if !known || field.GetField().GetFieldPath() != path {
		return true
	}
	switch field.GetOp() {
	case pb.StructuredQuery_FieldFilter_LESS_THAN:
		return order < 0
	case pb.StructuredQuery_FieldFilter_LESS_THAN_OR_EQUAL:
		return order <= 0
	case pb.StructuredQuery_FieldFilter_GREATER_THAN:
		return order > 0
	case pb.StructuredQuery_FieldFilter_GREATER_THAN_OR_EQUAL:
		return order >= 0
	default:
		return true
	}
}

// compare compares two times, integers, texts or names of documents.
func compare(a, b *pb.Value) (order int, known bool) {
	switch x := a.GetValueType().(type) {
	case *pb.Value_TimestampValue:
		_, known = b.GetValueType().(*pb.Value_TimestampValue)
		return x.TimestampValue.AsTime().Compare(b.GetTimestampValue().AsTime()), known
	case *pb.Value_IntegerValue:
		_, known = b.GetValueType().(*pb.Value_IntegerValue)
		return cmp.Compare(x.IntegerValue, b.GetIntegerValue()), known
	case *pb.Value_StringValue:
		_, known = b.GetValueType().(*pb.Value_StringValue)
		return strings.Compare(x.StringValue, b.GetStringValue()), known
	case *pb.Value_ReferenceValue:
		_, known = b.GetValueType().(*pb.Value_ReferenceValue)
		return slices.Compare(strings.Split(x.ReferenceValue, "/"), strings.Split(b.GetReferenceValue(), "/")), known
	default:
		return 0, false
	}
}
