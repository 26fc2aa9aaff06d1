package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	database  = "projects/demo/databases/(default)"
	documents = database + "/documents/"
	exempt    = `{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "*", "indexes": []}]}`
	feed      = `{"indexes": [{"collectionGroup": "_relations", "fields": [
	  {"fieldPath": "followers", "arrayConfig": "CONTAINS"}, {"fieldPath": "createdAt", "order": "DESCENDING"}]}],
	  "fieldOverrides": [{"collectionGroup": "_relations", "fieldPath": "followers", "indexes": []}]}`
)

func text(s string) *pb.Value { return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}} }

func ids(n, length int) *pb.Value { return idsFrom(0, n, length) }

func idsFrom(first, n, length int) *pb.Value {
	vs := make([]*pb.Value, n)
	for i := range vs {
		vs[i] = text(fmt.Sprintf("%0*d", length, first+i))
	}
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: vs}}}
}

func nested(levels int) *pb.Value {
	v := text("x")
	for range levels {
		v = &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: fields{"m": v}}}}
	}
	return v
}

func relation(n int) fields { return fields{"followers": ids(n, 28), "createdAt": text("now")} }

func put(path string, f fields) *pb.Write {
	return &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: documents + path, Fields: f}}}
}

func create(path string, f fields) *pb.Write {
	w := put(path, f)
	w.CurrentDocument = &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: false}}
	return w
}

func update(path string, f fields, mask ...string) *pb.Write {
	w := put(path, f)
	w.UpdateMask = &pb.DocumentMask{FieldPaths: mask}
	return w
}

func remove(path string) *pb.Write {
	return &pb.Write{Operation: &pb.Write_Delete{Delete: documents + path}}
}

func union(w *pb.Write, path string, v *pb.Value) *pb.Write {
	w.UpdateTransforms = append(w.UpdateTransforms, &pb.DocumentTransform_FieldTransform{FieldPath: path,
		TransformType: &pb.DocumentTransform_FieldTransform_AppendMissingElements{AppendMissingElements: v.GetArrayValue()}})
	return w
}

func serverTime(w *pb.Write, n int) *pb.Write {
	for i := range n {
		w.UpdateTransforms = append(w.UpdateTransforms, &pb.DocumentTransform_FieldTransform{FieldPath: fmt.Sprintf("t%d", i),
			TransformType: &pb.DocumentTransform_FieldTransform_SetToServerValue{SetToServerValue: pb.DocumentTransform_FieldTransform_REQUEST_TIME}})
	}
	return w
}

func relations(n int, write func(path string, f fields) *pb.Write) []*pb.Write {
	var ws []*pb.Write
	for i := range n {
		ws = append(ws, write(fmt.Sprintf("_relations/01234567890123456789_%05d", i), relation(10_000)))
	}
	return ws
}

func deleted(path string, _ fields) *pb.Write { return remove(path) }

// A commit is taken, or refused with what the error must have in it.
func TestLimitGuard(t *testing.T) {
	there := func(ws []*pb.Write, f fields) map[string]fields {
		all := map[string]fields{}
		for _, w := range ws {
			name, _ := target(w)
			all[name] = f
		}
		return all
	}
	deep := strings.Repeat("c/d/", 50)
	for name, test := range map[string]struct {
		file   string
		before map[string]fields
		writes []*pb.Write
		want   []string // none: it is taken
	}{
		"a small document":                  {`{}`, nil, []*pb.Write{put("c/d", fields{"a": text("x")})}, nil},
		"a document of 1 MiB":               {exempt, nil, []*pb.Write{put("c/d", fields{"a": text(strings.Repeat("x", 600_000)), "b": text(strings.Repeat("x", 448_518))})}, nil},
		"a document of a byte more":         {exempt, nil, []*pb.Write{put("c/d", fields{"a": text(strings.Repeat("x", 600_000)), "b": text(strings.Repeat("x", 448_519))})}, []string{"c/d: bytes of the document, 1,048,577, more than 1,048,576"}},
		"a value of 1 MiB - 89":             {exempt, nil, []*pb.Write{put("c/d", fields{"a": text(strings.Repeat("x", MaxValueBytes-1))})}, nil},
		"a value of a byte more":            {exempt, nil, []*pb.Write{put("c/d", fields{"a": text(strings.Repeat("x", MaxValueBytes))})}, []string{"c/d: bytes of the field a, 1,048,488, more than 1,048,487"}},
		"a name of 6 KiB":                   {exempt, nil, []*pb.Write{put("c/"+strings.Repeat("x/y/", 1531)+"a", nil)}, nil},
		"a name of more":                    {exempt, nil, []*pb.Write{put("c/"+strings.Repeat("x/y/", 1531)+"ab", nil)}, []string{"bytes of its name, 6,145, more than 6,144"}},
		"20 maps":                           {exempt, nil, []*pb.Write{put("c/d", fields{"a": nested(20)})}, nil},
		"21 maps":                           {exempt, nil, []*pb.Write{put("c/d", fields{"a": nested(21)})}, []string{"in the field a, 21, more than 20"}},
		"500 transforms":                    {exempt, nil, []*pb.Write{serverTime(put("c/d", nil), 500)}, nil},
		"501 transforms in two writes":      {exempt, nil, []*pb.Write{serverTime(put("c/d", nil), 500), serverTime(update("c/d", nil), 1)}, []string{"c/d: field transforms, 501, more than 500"}},
		"19,999 elements":                   {`{}`, nil, []*pb.Write{put("c/d", fields{"a": ids(19_999, 5)})}, nil},
		"20,000 elements":                   {`{}`, nil, []*pb.Write{put("c/d", fields{"a": ids(20_000, 5)})}, []string{"c/d: index entries (40,000 in (a CONTAINS), 1 in (a ASCENDING)", "40,002, more than 40,000"}},
		"20,000 elements, exempted":         {exempt, nil, []*pb.Write{put("c/d", fields{"a": ids(20_000, 5)})}, nil},
		"a union that makes 20,000":         {`{}`, map[string]fields{documents + "c/d": {"a": ids(19_999, 5)}}, []*pb.Write{union(update("c/d", nil), "a", idsFrom(19_999, 1, 5))}, []string{"40,002, more than 40,000"}},
		"a union with what is there":        {`{}`, map[string]fields{documents + "c/d": {"a": ids(19_999, 5)}}, []*pb.Write{union(update("c/d", nil), "a", ids(1, 5))}, nil},
		"a union that makes nothing larger": {exempt, map[string]fields{documents + "c/d": {"a": ids(1, 700_000)}}, []*pb.Write{union(update("c/d", nil), "a", ids(1, 700_000))}, nil},
		"an update of a large document":     {exempt, map[string]fields{documents + "c/d": {"a": text(strings.Repeat("x", 700_000))}}, []*pb.Write{update("c/d", fields{"b": text(strings.Repeat("x", 700_000))}, "b")}, []string{"c/d: bytes of the document, 1,400,0"}},
		"an update in its place":            {exempt, map[string]fields{documents + "c/d": {"a": text(strings.Repeat("x", 700_000))}}, []*pb.Write{update("c/d", fields{"a": text(strings.Repeat("x", 700_000))}, "a")}, nil},
		"a field inside a map":              {exempt, map[string]fields{documents + "c/d": {"m": nested(19)}}, []*pb.Write{update("c/d", fields{"m": nested(2)}, "m.m")}, nil},
		"an index entry of 7.5 KiB":         {`{"indexes":[{"collectionGroup":"c","fields":[` + orderedFields("abcde") + `]}]}`, nil, []*pb.Write{put("c/d", fields{"a": long(), "b": long(), "c": long(), "d": long(), "e": long()})}, nil},
		"an index entry of more":            {`{"indexes":[{"collectionGroup":"c","fields":[` + orderedFields("abcdef") + `]}]}`, nil, []*pb.Write{put("c/d", fields{"a": long(), "b": long(), "c": long(), "d": long(), "e": long(), "f": long()})}, []string{"bytes of an index entry, 9,052, more than 7,680"}},
		"8 MiB of index entries":            {`{}`, nil, []*pb.Write{put(deep+"c/d", fields{"a": ids(10_000, 28)})}, []string{"bytes of index entries (", "in (a CONTAINS)", "more than 8,388,608"}},
		"a relation of 10,000 ids":          {feed, nil, relations(1, create), nil},
		"three of them":                     {feed, nil, relations(3, create), nil},
		"four of them":                      {feed, nil, relations(4, create), []string{"a transaction that writes 4 documents", "more than the 10,485,760 of a transaction; most of all _relations/01234567890123456789_00000: 2,670,310"}},
		"a relation replaced by another":    {feed, there(relations(1, put), relation(10_000)), []*pb.Write{put("_relations/01234567890123456789_00000", fields{"followers": idsFrom(10_000, 10_000, 28), "createdAt": text("then")})}, nil},
		"three replaced":                    {feed, there(relations(3, put), fields{"followers": idsFrom(10_000, 10_000, 28), "createdAt": text("then")}), relations(3, put), []string{"a transaction that writes 3 documents"}},
		"ten written as they are":           {feed, there(relations(10, put), relation(10_000)), relations(10, put), nil},
		"three deleted":                     {feed, there(relations(3, deleted), relation(10_000)), relations(3, deleted), nil},
		"four deleted":                      {feed, there(relations(4, deleted), relation(10_000)), relations(4, deleted), []string{"a transaction that writes 4 documents"}},
		"a hundred that are not there":      {feed, nil, relations(100, deleted), nil},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := Parse([]byte(test.file))
			if err != nil {
				t.Fatal(err)
			}
			read := func(_ context.Context, _ string, names []string) (map[string]fields, error) {
				found := map[string]fields{}
				for _, n := range names {
					if f, ok := test.before[n]; ok {
						found[n] = f
					}
				}
				return found, nil
			}
			_, refusal, err := g.Limits.check(t.Context(), database, 0, [][]*pb.Write{test.writes}, read)
			if err != nil {
				t.Fatal(err)
			}
			if len(test.want) == 0 && refusal != nil {
				t.Fatalf("refused: %v", refusal)
			}
			for _, want := range test.want {
				if refusal == nil || status.Code(refusal) != codes.InvalidArgument || !strings.Contains(refusal.Error(), want) {
					t.Errorf("%v\nwant InvalidArgument with %q", refusal, want)
				}
			}
		})
	}
}

func long() *pb.Value { return text(strings.Repeat("x", 2000)) }

// orderedFields are index fields, a letter each.
func orderedFields(letters string) string {
	var parts []string
	for _, l := range letters {
		parts = append(parts, fmt.Sprintf(`{"fieldPath":"%c","order":"ASCENDING"}`, l))
	}
	return strings.Join(parts, ",")
}

// The writes of a batch are not one transaction; the request is one.
func TestBatchesAreNotTransactions(t *testing.T) {
	g, err := Parse([]byte(feed))
	if err != nil {
		t.Fatal(err)
	}
	none := func(context.Context, string, []string) (map[string]fields, error) { return map[string]fields{}, nil }
	for n, want := range map[int]string{20: "", 40: "a commit of 40 writes: its request has 13,"} {
		writes := relations(n, put)
		size := proto.Size(&pb.BatchWriteRequest{Database: database, Writes: writes})
		_, refusal, err := g.Limits.check(t.Context(), database, size, slices.Collect(slices.Chunk(writes, 1)), none)
		if err != nil {
			t.Fatal(err)
		}
		if (refusal == nil) != (want == "") || refusal != nil && !strings.Contains(refusal.Error(), want) {
			t.Errorf("%d relations of 10,000 ids: %v, want %q", n, refusal, want)
		}
	}
}

// A created document did not exist before: the guard does not read it.
func TestGuardReadsNoCreatedDocuments(t *testing.T) {
	got := unknown([]*pb.Write{
		create("c/created", nil), update("c/created", nil), put("c/put", nil), remove("c/removed"), update("c/updated", nil), update("c/updated", nil),
	})
	want := []string{documents + "c/put", documents + "c/removed", documents + "c/updated"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("reads %v, want %v", got, want)
	}
}
