package guard

import (
	"fmt"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/indexfile"
)

// IndexGuard decides which queries the indexes of a file can serve.
type IndexGuard struct{ file *indexfile.File }

// Check returns nil if production could answer a query below parent (a document, or the database's
// documents). Otherwise, the error has the code FailedPrecondition, and names the query and the missing
// index. Or it has InvalidArgument, for a filter that is too wide or a cursor outside the range: see
// [beyond].
//
// Check applies these rules. Documented ("Index types", "Query and filter data", the reference of StructuredQuery; read
// November 2026):
//
//   - order: the fields of inequalities that the query does not order by are added, in the order of their names, in the
//     last direction; the document's name comes last, in the last direction;
//   - an index serves a query if its fields are those of the equality filters, in any order, and then the query's
//     order; an index that does not end with the document's name has it at its end, in its last direction;
//   - indexes that end with the same order are merged if together they have all of the query's equality fields;
//   - in, array-contains-any and or are a query for each disjunction, at most 30;
//   - a query by the document's name alone needs no index; sum and avg need the field in the index.
//
// Conservative, where the documents are silent or contradict each other:
//
//   - array-contains is not merged with other filters: one index has to hold all of them. (Newer pages count it among
//     the equalities, older ones require a composite.)
//   - with several disjunctions, an order by a field with an equality is kept. (Production has been seen to
//     reject merges for such queries, and to accept others that look the same.)
//   - an order by the name alone, descending, needs an index on __name__ (seen in production).
//   - the field of a sum stands after the order, ascending.
//   - an index of a collection group serves no query of one collection.
func (g *IndexGuard) Check(parent string, q *pb.StructuredQuery, aggregations []*pb.StructuredAggregationQuery_Aggregation) error {
	if g == nil || q.GetFindNearest() != nil {
		return nil // Check cannot judge such queries
	}
	n, err := normalize(q, aggregations)
	if err != nil {
		return status.Errorf(codes.InvalidArgument, "%s: %v", describe(parent, q, aggregations), err)
	}
	if beyond(q) {
		return status.Errorf(codes.InvalidArgument, "%s: cursor position is outside the range of the original query", describe(parent, q, aggregations))
	}
	for _, d := range n.disjunct {
		if lacks, ok := g.lacks(n, d); ok {
			return status.Errorf(codes.FailedPrecondition, "%s: the query requires an index that firestore.indexes.json does not have: %s",
				describe(parent, q, aggregations), lacks)
		}
	}
	return nil
}

// lacks returns what to add to the file for a disjunction that no index serves.
func (g *IndexGuard) lacks(n query, d disjunct) (add string, lacks bool) {
	order := n.order(d)
	equal := slices.DeleteFunc(slices.Clone(d.equal), func(f indexfile.Field) bool {
		return f.Mode != indexfile.Contains && ordered(order, f.Path) // with several disjunctions, the field is in the order
	})
	byName := indexfile.Field{Path: indexfile.Name, Mode: indexfile.Ascending}
	if len(equal) == 0 && len(order) == 1 && order[0] == byName {
		return "", false // documents are stored in this order
	}
	var merged []string
	for _, x := range g.candidates(n, equal, order) {
		prefix, ok := prefixBefore(x, equal, order)
		if ok && len(prefix) == len(equal) {
			return "", false
		}
		merged = append(merged, prefix...)
	}
	mergeable := func(f indexfile.Field) bool { return f.Mode != indexfile.Contains && slices.Contains(merged, f.Path) }
	if len(equal) > 0 && !slices.ContainsFunc(equal, func(f indexfile.Field) bool { return !mergeable(f) }) {
		return "", false
	}
	return g.advice(n, equal, order), true
}

// order returns the order of a disjunction's results, with the document's name
// at the end.
func (n query) order(d disjunct) []indexfile.Field {
	var order []indexfile.Field
	last := indexfile.Ascending
	named := false
	add := func(f indexfile.Field) {
		void := n.alone && slices.Contains(d.equal, indexfile.Field{Path: f.Path, Mode: indexfile.Ascending})
		if !named && !void && !ordered(order, f.Path) {
			order = append(order, f)
		}
		named = named || f.Path == indexfile.Name
	}
	for _, f := range n.orders {
		add(f)
		last = f.Mode
	}
	unequal := slices.Sorted(slices.Values(d.unequal))
	for _, path := range unequal {
		if path != indexfile.Name && !slices.Contains(d.equal, indexfile.Field{Path: path, Mode: indexfile.Ascending}) {
			add(indexfile.Field{Path: path, Mode: last})
		}
	}
	for _, path := range n.summed {
		add(indexfile.Field{Path: path, Mode: indexfile.Ascending})
		last = indexfile.Ascending
	}
	add(indexfile.Field{Path: indexfile.Name, Mode: last})
	return order
}

func ordered(order []indexfile.Field, path string) bool {
	return slices.ContainsFunc(order, func(f indexfile.Field) bool { return f.Path == path })
}

// candidates returns the indexes of the query's scope that may serve a part of it.
func (g *IndexGuard) candidates(n query, equal, order []indexfile.Field) []indexfile.Index {
	if n.group == "" {
		return nil // the query has no collection
	}
	all := g.file.Composites(n.group)
	for _, f := range slices.Concat(equal, order) {
		if f.Path != indexfile.Name {
			all = append(all, g.file.Automatic(n.group, f.Path)...)
		}
	}
	return slices.DeleteFunc(all, func(x indexfile.Index) bool { return x.Scope != n.scope })
}

// prefixBefore returns the equality fields at the beginning of an index, if the rest of the index is
// exactly the order.
func prefixBefore(x indexfile.Index, equal, order []indexfile.Field) (prefix []string, ok bool) {
	fields := x.Fields
	if last := fields[len(fields)-1]; last.Path != indexfile.Name {
		name := indexfile.Field{Path: indexfile.Name, Mode: last.Mode}
		if last.Mode == indexfile.Contains {
			name.Mode = indexfile.Ascending
		}
		fields = append(slices.Clone(fields), name)
	}
	n := len(fields) - len(order)
	if n < 0 || !slices.Equal(fields[n:], order) {
		return nil, false
	}
	for _, f := range fields[:n] {
		if f.Mode == indexfile.Descending {
			f.Mode = indexfile.Ascending // an equality has no direction
		}
		if !slices.Contains(equal, f) {
			return nil, false
		}
		prefix = append(prefix, f.Path)
	}
	return prefix, true
}

// advice returns the index that could serve the disjunction alone.
func (g *IndexGuard) advice(n query, equal, order []indexfile.Field) string {
	x := indexfile.Index{Group: n.group, Scope: n.scope, Fields: slices.Concat(equal, order)}
	slices.SortStableFunc(x.Fields[:len(equal)], func(a, b indexfile.Field) int {
		if (a.Mode == indexfile.Contains) == (b.Mode == indexfile.Contains) {
			return 0
		}
		if a.Mode == indexfile.Contains {
			return -1
		}
		return 1
	})
	if last := len(x.Fields) - 1; last > 0 {
		implied := x.Fields[last-1].Mode
		if implied == indexfile.Contains {
			implied = indexfile.Ascending
		}
		if len(equal) == last && len(equal) > 0 { // an index on equalities alone: its direction becomes the query's
			if x.Fields[last-1].Mode != indexfile.Contains {
				x.Fields[last-1].Mode, implied = x.Fields[last].Mode, x.Fields[last].Mode
			}
		}
		if x.Fields[last].Mode == implied {
			x.Fields = x.Fields[:last]
		}
	}
	if len(x.Fields) == 1 && x.Fields[0].Path != indexfile.Name {
		has := g.file.Automatic(n.group, x.Fields[0].Path)
		return fmt.Sprintf(`add to its "fieldOverrides": %s`, x.OverrideJSON(has))
	}
	return fmt.Sprintf(`add to its "indexes": %s`, x.JSON())
}
