package indexfile_test

import (
	"fmt"
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/internal/indexfile"
)

func text(s string) *pb.Value { return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}} }
func number(n int64) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: n}}
}
func array(vs ...*pb.Value) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: vs}}}
}
func object(fields map[string]*pb.Value) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: fields}}}
}

func ids(n int, format string) *pb.Value {
	vs := make([]*pb.Value, n)
	for i := range vs {
		vs[i] = text(fmt.Sprintf(format, i))
	}
	return array(vs...)
}

func parse(t *testing.T, s string) *indexfile.File {
	t.Helper()
	file, err := indexfile.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

const feed = `{"indexes": [{"collectionGroup": "_relations", "fields": [
  {"fieldPath": "followers", "arrayConfig": "CONTAINS"}, {"fieldPath": "createdAt", "order": "DESCENDING"}]}],
  "fieldOverrides": [{"collectionGroup": "_relations", "fieldPath": "followers", "indexes": []}]}`

// The examples of "Storage size calculations", and what has been worked out from its rules.
func TestEntries(t *testing.T) {
	task := map[string]*pb.Value{"type": text("Personal"), "done": text("x"), "priority": number(1), "description": text("Learn Cloud Firestore")}
	for name, test := range map[string]struct {
		file, path string
		fields     map[string]*pb.Value
		want       indexfile.Entries
	}{
		// users/jeff/tasks/my_task_id has 44 bytes and users/jeff 27; an entry of priority: 44 + 27 + 9 + 8 + 32.
		"a scalar has two":              {`{}`, "users/jeff/tasks/my_task_id", map[string]*pb.Value{"priority": number(1)}, indexfile.Entries{Count: 2, Bytes: 240, Largest: 120}},
		"each field has its own":        {`{}`, "users/jeff/tasks/my_task_id", task, indexfile.Entries{Count: 8, Bytes: 2 * (120 + 117 + 110 + 137), Largest: 137}},
		"a map has those of its leaves": {`{}`, "c/d", map[string]*pb.Value{"m": object(map[string]*pb.Value{"a": number(1), "n": object(map[string]*pb.Value{"b": number(1)})})}, indexfile.Entries{Count: 4, Bytes: 2*(20+4+8+32) + 2*(20+6+8+32), Largest: 66}},
		"an array has its own and two for each distinct element": {`{}`, "c/d", map[string]*pb.Value{"a": array(text("x"), text("y"), text("x"))},
			indexfile.Entries{Count: 2 + 4, Bytes: 2*(20+2+6+32) + 4*(20+2+2+32), Largest: 60}},
		"an exempted field has none":    {`{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "a", "indexes": []}]}`, "c/d", map[string]*pb.Value{"a": number(1)}, indexfile.Entries{}},
		"another collection is another": {`{"fieldOverrides": [{"collectionGroup": "x", "fieldPath": "*", "indexes": []}]}`, "c/d", map[string]*pb.Value{"a": number(1)}, indexfile.Entries{Count: 2, Bytes: 2 * (20 + 2 + 8 + 32), Largest: 62}},
		"a long value is cut":           {`{}`, "c/d", map[string]*pb.Value{"a": text(strings.Repeat("x", 5000))}, indexfile.Entries{Count: 2, Bytes: 2 * (20 + 2 + 1500 + 32), Largest: 1554}},
		// 10,000 ids of 28: each entry 48 + 29 + 8 + 32.
		"a relation in the feed's index": {feed, "_relations/12345678901234567890", map[string]*pb.Value{"followers": ids(10000, "%028d"), "createdAt": number(1)},
			indexfile.Entries{Count: 20_002, Bytes: 20_000*117 + 2*(48+10+8+32), Largest: 117}},
		"a relation without createdAt is not in it": {feed, "_relations/1", map[string]*pb.Value{"followers": ids(10000, "%028d")}, indexfile.Entries{}},
		"no array, no entries of elements": {feed, "_relations/1", map[string]*pb.Value{"followers": text("x"), "createdAt": number(1)},
			indexfile.Entries{Count: 2, Bytes: 2 * (29 + 10 + 8 + 32), Largest: 79}},
		"a collection group's index is another": {`{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "a", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]}]}`,
			"p/q/c/d", map[string]*pb.Value{"a": number(1)}, indexfile.Entries{Count: 1, Bytes: 24 + 2 + 8 + 48, Largest: 82}},
	} {
		t.Run(name, func(t *testing.T) {
			got := indexfile.Sum(parse(t, test.file).Entries(indexfile.NewDocument(test.path, test.fields)))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDocumentBytes(t *testing.T) {
	// The example of "Storage size calculations".
	fields := map[string]*pb.Value{
		"type": text("Personal"), "done": {ValueType: &pb.Value_BooleanValue{}}, "priority": number(1), "description": text("Learn Cloud Firestore"),
	}
	if got := indexfile.DocumentBytes("users/jeff/tasks/my_task_id", fields); got != 147 {
		t.Errorf("%d bytes, want 147", got)
	}
	if got := indexfile.ValueBytes(ids(10_000, "%028d")); got != 290_000 {
		t.Errorf("10,000 ids have %d bytes, want 290,000", got)
	}
}

// The changed entries of a write are those removed and those added.
func TestChangedEntries(t *testing.T) {
	file := parse(t, feed)
	relation := func(n int, at, version int64) indexfile.Document {
		return indexfile.NewDocument("_relations/1", map[string]*pb.Value{"followers": ids(n, "%028d"), "createdAt": number(at), "version": number(version)})
	}
	for name, test := range map[string]struct {
		before, after indexfile.Document
		want          int
	}{
		"nothing":           {relation(100, 1, 1), relation(100, 1, 1), 0},
		"one follower more": {relation(100, 1, 1), relation(101, 1, 1), 2},
		"one follower less": {relation(100, 1, 1), relation(99, 1, 1), 2},
		"another version":   {relation(100, 1, 1), relation(100, 1, 2), 4},
		"another time":      {relation(100, 1, 1), relation(100, 2, 1), 200 + 200 + 4},
		"created":           {indexfile.Document{}, relation(100, 1, 1), 200 + 4},
		"deleted":           {relation(100, 1, 1), indexfile.Document{}, 200 + 4},
	} {
		if got := indexfile.Sum(file.Changed(test.before, test.after)).Count; got != test.want {
			t.Errorf("%s: %d entries, want %d", name, got, test.want)
		}
	}
}

// A change has at most the entries of both documents, and exactly those of one if the other does not exist.
func TestChangedEntriesAreBoundedByBothDocuments(t *testing.T) {
	file := parse(t, feed)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (indexfile.Document, int) {
			fields := map[string]*pb.Value{
				"followers": array(rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(n int) *pb.Value { return text(fmt.Sprint(n)) }), 0, 9).Draw(t, label)...),
				"createdAt": number(rapid.Int64Range(0, 1).Draw(t, label)),
			}
			d := indexfile.NewDocument("_relations/1", fields)
			return d, indexfile.Sum(file.Entries(d)).Count
		}
		a, inA := draw("before")
		b, inB := draw("after")
		changed := indexfile.Sum(file.Changed(a, b)).Count
		if back := indexfile.Sum(file.Changed(b, a)).Count; changed != back {
			t.Errorf("%d entries there, %d back", changed, back)
		}
		if changed > inA+inB || changed < max(inA, inB)-min(inA, inB) {
			t.Errorf("%d entries change of %d and %d", changed, inA, inB)
		}
		if got := indexfile.Sum(file.Changed(indexfile.Document{}, a)).Count; got != inA {
			t.Errorf("a creation touches %d entries, want %d", got, inA)
		}
	})
}
