package config

import (
	"fmt"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// relationFields are the indexed fields of a relation, beside followers and copied fields.
var relationFields = []string{"postId", "userId", "audience", "indexId", "indexVersion", "createdAt", "sizeBytes", "expireAt"}

// Limits of a document's index entries ("Quotas and limits", read November 2026).
const (
	maxIndexEntries      = 40_000 // the emulator does not check it
	MaxIndexEntriesBytes = 8 << 20
)

// RelationEntries returns the number and bytes of a relation's index entries under a firestore.indexes.json.
// The relation has as many followers as the capacity allows. Ids have 28 characters, as Firebase's ids have.
// Each copied field counts as a text of 1,500 bytes, the most that an index entry holds.
func RelationEntries(c schema.Config, indexes []byte) (count, bytes int, err error) {
	file, err := indexfile.Parse(indexes)
	if err != nil {
		return 0, 0, fmt.Errorf("firestore.indexes.json: %w", err)
	}
	text := func(n int) *pb.Value {
		return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: strings.Repeat("x", n)}}
	}
	list := &pb.ArrayValue{}
	for n := range c.WithDefaults().Capacity {
		list.Values = append(list.Values, &pb.Value{ValueType: &pb.Value_StringValue{StringValue: fmt.Sprintf("%028d", n)}})
	}
	values := map[string]*pb.Value{"followers": {ValueType: &pb.Value_ArrayValue{ArrayValue: list}}}
	for _, field := range relationFields {
		values[field] = text(28)
	}
	for _, field := range c.CopiedFields {
		if !slices.Contains(relationFields, field) {
			values[field] = text(1500)
		}
	}
	sum := indexfile.Sum(file.Entries(indexfile.NewDocument(names.Relations+"/"+strings.Repeat("p", 20)+"_00001", values)))
	return sum.Count, sum.Bytes, nil
}
