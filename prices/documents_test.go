package prices

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/relationindex"
	"example.com/relationindex/internal/indexfile"
)

type fields map[string]*pb.Value

func str(n int) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: strings.Repeat("x", n)}}
}

func ids(n, length int) *pb.Value {
	a := &pb.ArrayValue{}
	for i := range n {
		a.Values = append(a.Values, &pb.Value{ValueType: &pb.Value_StringValue{StringValue: fmt.Sprintf("%0*d", length, i)}})
	}
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: a}}
}

func object(f fields) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: f}}}
}

var (
	num  = &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: 1}}
	at   = &pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: timestamppb.Now()}}
	flag = &pb.Value{ValueType: &pb.Value_BooleanValue{}}
	id   = str(idBytes)
)

func entry() fields {
	return fields{"post": str(postIDBytes), "author": id, "audience": id, "at": num, "fields": object(fields{"text": str(copiedBytes)})}
}

// timelineDocument is one with n entries, of so many authors.
func timelineDocument(n, authors int, more fields) fields {
	entries := fields{}
	for i := range n {
		entries[fmt.Sprintf("%0*d", postIDBytes, i)] = object(entry())
	}
	f := fields{"posts": ids(n, postIDBytes), "accounts": ids(authors, idBytes), "entries": object(entries)}
	maps.Copy(f, more)
	return f
}

// stored is what a document takes with its index entries. An array has one for each element, as in
// Google's example; what feeds show is exempted.
func storedBytes(t *testing.T, path string, f fields) float64 {
	t.Helper()
	file, err := indexfile.Parse(relationindex.FirestoreIndexes)
	if err != nil {
		t.Fatal(err)
	}
	size := indexfile.DocumentBytes(path, f)
	indexed := maps.Clone(f)
	delete(indexed, "text")
	for _, e := range file.Entries(indexfile.NewDocument(path, indexed)) {
		if slices.ContainsFunc(e.Index.Fields, func(f indexfile.Field) bool { return f.Mode == indexfile.Contains }) {
			e.Bytes /= 2 // the worst case has two
		}
		size += e.Bytes
	}
	return float64(size)
}

// The sizes of documents are Firestore's, with the indexes that firestore.indexes.json leaves.
func TestSizesOfDocuments(t *testing.T) {
	user, p := strings.Repeat("u", idBytes), strings.Repeat("p", postIDBytes)
	relationOf := func(n, _ int) float64 {
		return storedBytes(t, "_relations/"+p+"_00001", fields{
			"postId": str(postIDBytes), "userId": id, "audience": id, "indexId": str(5), "indexVersion": num, "sizeBytes": num,
			"followers": ids(n, idBytes), "createdAt": at, "text": str(copiedBytes),
		})
	}
	place := str(len("1764104871000000/") + postIDBytes)
	for name, c := range map[string]struct {
		document
		of func(n, authors int) float64
	}{
		"post": {post, func(_, _ int) float64 {
			return storedBytes(t, "posts/"+p, fields{"userId": id, "createdAt": at, "text": str(copiedBytes), "audience": id, "hidden": flag})
		}},
		"following": {following, func(_, _ int) float64 {
			return storedBytes(t, "users/"+user+"/followers/"+user, fields{"createdAt": at}) +
				storedBytes(t, "users/"+user+"/following/"+user, fields{"createdAt": at, "indexId": str(5)})
		}},
		"relation": {relation, relationOf},
		"item": {item, func(_, _ int) float64 {
			f := entry()
			f["posts"], f["accounts"] = ids(1, postIDBytes), ids(1, idBytes)
			return storedBytes(t, "users/"+user+"/timeline/"+p, f)
		}},
		"bucket": {bucket, func(n, authors int) float64 {
			return storedBytes(t, "users/"+user+"/timeline/past-00000001", timelineDocument(n, authors, fields{"sequence": num, "size": num, "slots": num, "from": place, "to": place}))
		}},
		"day": {dayOfFeed, func(n, authors int) float64 {
			return storedBytes(t, "users/"+user+"/timeline/2026-11-23", timelineDocument(n, authors, fields{"day": str(10)}))
		}},
	} {
		for _, n := range [][2]int{{1, 1}, {50, 1}, {50, 50}} {
			got, _ := c.size(float64(n[0]), float64(n[1]))
			if want := c.of(n[0], n[1]); math.Abs(got-want) > 0 {
				t.Errorf("%s of %d, %d authors: %v bytes, want %v", name, n[0], n[1], got, want)
			}
		}
	}
	if got, want := float64(indexfile.DocumentBytes("users/"+user+"/followers_index/00001", fields{
		"followers": ids(10_000, idBytes), "count": num, "sizeBytes": num, "version": num, "changes": str(64<<10 - 1), "backfilled": flag,
	})), indexBytes(10_000); got != want {
		t.Errorf("an index document has %v bytes, want %v", want, got)
	}
}
