package guard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/indexfile"
)

// maxDisjunctions is the most disjunctions that a filter may have when its or, in and array-contains-any
// are written as one or of ands.
const maxDisjunctions = 30

// query has the parts of a query that decide which index serves it.
type query struct {
	group    string
	scope    indexfile.Scope
	disjunct []disjunct // at least one
	alone    bool       // there is one disjunction: an order by a field with an equality has no effect
	orders   []indexfile.Field
	summed   []string // fields of sum and avg
}

// disjunct is one and of a filter that is written as an or of ands. The values of an in make equal ands, and
// weight is their number.
type disjunct struct {
	equal   []indexfile.Field // Ascending stands for any order; a filter by the document's name is left out, because it needs no index
	unequal []string
	weight  int
}

// normalize splits a query into the parts that decide about an index.
func normalize(q *pb.StructuredQuery, aggregations []*pb.StructuredAggregationQuery_Aggregation) (query, error) {
	n := query{scope: indexfile.Collection}
	for _, from := range q.GetFrom() {
		n.group = from.GetCollectionId()
		if from.GetAllDescendants() {
			n.scope = indexfile.CollectionGroup
		}
	}
	var err error
	if n.disjunct, err = disjuncts(q.GetWhere()); err != nil {
		return query{}, err
	}
	weight := 0
	for _, d := range n.disjunct {
		weight += d.weight
	}
	if weight > maxDisjunctions {
		return query{}, fmt.Errorf("its filter comes to %d disjunctions, more than %d", weight, maxDisjunctions)
	}
	n.alone = weight == 1
	for _, o := range q.GetOrderBy() {
		n.orders = append(n.orders, indexfile.Field{Path: o.GetField().GetFieldPath(), Mode: mode(o.GetDirection())})
	}
	for _, a := range aggregations {
		for _, f := range []string{a.GetSum().GetField().GetFieldPath(), a.GetAvg().GetField().GetFieldPath()} {
			if f != "" && !slices.Contains(n.summed, f) {
				n.summed = append(n.summed, f)
			}
		}
	}
	slices.Sort(n.summed)
	return n, nil
}

func mode(d pb.StructuredQuery_Direction) indexfile.Mode {
	if d == pb.StructuredQuery_DESCENDING {
		return indexfile.Descending
	}
	return indexfile.Ascending
}

// disjuncts writes a filter as an or of ands.
func disjuncts(f *pb.StructuredQuery_Filter) ([]disjunct, error) {
	switch f := f.GetFilterType().(type) {
	case nil:
		return []disjunct{{weight: 1}}, nil
	case *pb.StructuredQuery_Filter_FieldFilter:
		return fieldFilter(f.FieldFilter)
	case *pb.StructuredQuery_Filter_UnaryFilter:
		path := f.UnaryFilter.GetField().GetFieldPath()
		switch f.UnaryFilter.GetOp() {
		case pb.StructuredQuery_UnaryFilter_IS_NAN, pb.StructuredQuery_UnaryFilter_IS_NULL:
			return one(disjunct{equal: []indexfile.Field{{Path: path, Mode: indexfile.Ascending}}}), nil
		default:
			return one(disjunct{unequal: []string{path}}), nil
		}
	case *pb.StructuredQuery_Filter_CompositeFilter:
		return compositeFilter(f.CompositeFilter)
	default:
		return nil, fmt.Errorf("it has a filter of an unknown kind, %T", f)
	}
}

func one(d disjunct) []disjunct {
	d.weight = 1
	return []disjunct{d}
}

func fieldFilter(f *pb.StructuredQuery_FieldFilter) ([]disjunct, error) {
	path := f.GetField().GetFieldPath()
	d := disjunct{weight: 1}
	if op := f.GetOp(); op == pb.StructuredQuery_FieldFilter_IN || op == pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY {
		d.weight = max(1, len(f.GetValue().GetArrayValue().GetValues()))
	}
	switch f.GetOp() {
	case pb.StructuredQuery_FieldFilter_EQUAL, pb.StructuredQuery_FieldFilter_IN:
		if path != indexfile.Name {
			d.equal = []indexfile.Field{{Path: path, Mode: indexfile.Ascending}}
		}
	case pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS, pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY:
		d.equal = []indexfile.Field{{Path: path, Mode: indexfile.Contains}}
	default: // <, <=, >, >=, !=, not-in
		d.unequal = []string{path}
	}
	return []disjunct{d}, nil
}

func compositeFilter(f *pb.StructuredQuery_CompositeFilter) ([]disjunct, error) {
	var sum []disjunct
	product := []disjunct{{weight: 1}}
	for _, part := range f.GetFilters() {
		ds, err := disjuncts(part)
		if err != nil {
			return nil, err
		}
		if f.GetOp() == pb.StructuredQuery_CompositeFilter_OR {
			sum = append(sum, ds...)
			continue
		}
		var next []disjunct
		for _, a := range product {
			for _, b := range ds {
				next = append(next, and(a, b))
			}
		}
		if product = next; len(product) > maxDisjunctions {
			return nil, fmt.Errorf("its filter comes to more than %d disjunctions", maxDisjunctions)
		}
	}
	if f.GetOp() == pb.StructuredQuery_CompositeFilter_OR {
		return sum, nil
	}
	return product, nil
}

func and(a, b disjunct) disjunct {
	d := disjunct{equal: slices.Clone(a.equal), unequal: slices.Clone(a.unequal), weight: a.weight * b.weight}
	for _, f := range b.equal {
		if !slices.Contains(d.equal, f) {
			d.equal = append(d.equal, f)
		}
	}
	for _, path := range b.unequal {
		if !slices.Contains(d.unequal, path) {
			d.unequal = append(d.unequal, path)
		}
	}
	return d
}

// describe returns a query for people, without its values:
//
//	posts where userId == ? order by createdAt desc
func describe(parent string, q *pb.StructuredQuery, aggregations []*pb.StructuredAggregationQuery_Aggregation) string {
	var b strings.Builder
	for _, from := range q.GetFrom() {
		if path := indexfile.PathOf(parent); path != parent && !from.GetAllDescendants() {
			segments := strings.Split(path, "/")
			for i := 0; i < len(segments); i += 2 { // collection ids, without document ids
				b.WriteString(segments[i] + "/?/")
			}
		}
		b.WriteString(cmp.Or(from.GetCollectionId(), "any collection"))
		if from.GetAllDescendants() {
			b.WriteString(" (collection group)")
		}
	}
	if q.GetWhere() != nil {
		b.WriteString(" where " + filterText(q.GetWhere()))
	}
	for i, o := range q.GetOrderBy() {
		b.WriteString([]string{" order by ", ", "}[min(i, 1)] + o.GetField().GetFieldPath())
		if o.GetDirection() == pb.StructuredQuery_DESCENDING {
			b.WriteString(" desc")
		}
	}
	for _, a := range aggregations {
		switch {
		case a.GetSum() != nil:
			b.WriteString(", sum of " + a.GetSum().GetField().GetFieldPath())
		case a.GetAvg() != nil:
			b.WriteString(", average of " + a.GetAvg().GetField().GetFieldPath())
		default:
			b.WriteString(", count")
		}
	}
	return b.String()
}

func filterText(f *pb.StructuredQuery_Filter) string {
	switch f := f.GetFilterType().(type) {
	case *pb.StructuredQuery_Filter_FieldFilter:
		text := operators[f.FieldFilter.GetOp()] + " ?"
		if n := len(f.FieldFilter.GetValue().GetArrayValue().GetValues()); strings.HasSuffix(text, "in ?") || strings.HasSuffix(text, "any ?") {
			text += fmt.Sprintf("×%d", n)
		}
		return f.FieldFilter.GetField().GetFieldPath() + " " + text
	case *pb.StructuredQuery_Filter_UnaryFilter:
		op := strings.ToLower(strings.ReplaceAll(f.UnaryFilter.GetOp().String(), "_", " "))
		return f.UnaryFilter.GetField().GetFieldPath() + " " + op
	case *pb.StructuredQuery_Filter_CompositeFilter:
		var parts []string
		for _, part := range f.CompositeFilter.GetFilters() {
			text := filterText(part)
			if inner := part.GetCompositeFilter(); inner != nil && inner.GetOp() != f.CompositeFilter.GetOp() {
				text = "(" + text + ")"
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, " "+strings.ToLower(f.CompositeFilter.GetOp().String())+" ")
	default:
		return "?"
	}
}

var operators = map[pb.StructuredQuery_FieldFilter_Operator]string{
	pb.StructuredQuery_FieldFilter_LESS_THAN:             "<",
	pb.StructuredQuery_FieldFilter_LESS_THAN_OR_EQUAL:    "<=",
	pb.StructuredQuery_FieldFilter_GREATER_THAN:          ">",
	pb.StructuredQuery_FieldFilter_GREATER_THAN_OR_EQUAL: ">=",
	pb.StructuredQuery_FieldFilter_EQUAL:                 "==",
	pb.StructuredQuery_FieldFilter_NOT_EQUAL:             "!=",
	pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS:        "array-contains",
	pb.StructuredQuery_FieldFilter_IN:                    "in",
	pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY:    "array-contains-any",
	pb.StructuredQuery_FieldFilter_NOT_IN:                "not-in",
}
