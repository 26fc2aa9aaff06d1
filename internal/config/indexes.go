package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/relations"
)

// maxIndexEntries is how many index entries a document may have ("Quotas and
// limits", read November 2026). The emulator does not check it.
const maxIndexEntries = 40_000

// CheckIndexes reports what firestore.indexes.json cannot carry of f: a
// capacity with which a relation or an index document has more index entries
// than production takes, and a relations collection that it does not know.
func (f Functions) CheckIndexes(indexes []byte) error {
	file, err := indexfile.Parse(indexes)
	if err != nil {
		return fmt.Errorf("firestore.indexes.json: %w", err)
	}
	c := f.Collections()
	capacity := cmp.Or(f.Capacity, relations.DefaultCapacity)
	var errs []error
	if len(file.Composites(c.Relations)) == 0 {
		errs = append(errs, fmt.Errorf("RELATIONINDEX_RELATIONS=%q: firestore.indexes.json has no composite index for this collection: feeds could not be read", c.Relations))
	}
	relation := map[string]*pb.Value{"followers": ids(capacity)}
	for _, name := range append([]string{"postId", "userId", "indexId", "indexVersion", "createdAt"}, f.CopiedFields...) {
		relation[name] = &pb.Value{ValueType: &pb.Value_IntegerValue{}}
	}
	indexDocument := map[string]*pb.Value{"followers": relation["followers"]}
	for _, name := range []string{"count", "sizeBytes", "version", "changes", "backfilled"} {
		indexDocument[name] = &pb.Value{ValueType: &pb.Value_IntegerValue{}}
	}
	for _, d := range []indexfile.Document{
		indexfile.NewDocument(c.Relations+"/p_i", relation),
		indexfile.NewDocument(c.Users+"/u/"+c.FollowersIndex+"/i", indexDocument),
	} {
		if err := carries(file, d, capacity); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// carries reports a document with capacity followers that has too many index entries.
func carries(file *indexfile.File, d indexfile.Document, capacity int) error {
	entries := file.Entries(d)
	sum := indexfile.Sum(entries)
	if sum.Count <= maxIndexEntries {
		return nil
	}
	var each []string
	perFollower := 0
	for _, e := range entries {
		if e.Count >= capacity && slices.ContainsFunc(e.Index.Fields, func(f indexfile.Field) bool { return f.Mode == indexfile.Contains }) {
			each = append(each, fmt.Sprintf("%d in %v", e.Count, e.Index))
			perFollower += e.Count / capacity
		}
	}
	others := sum.Count - perFollower*capacity
	return fmt.Errorf("RELATIONINDEX_CAPACITY=%d: with so many followers a document of %s has %d index entries by firestore.indexes.json, at most %d are allowed: %s; must be at most %d, or the index be dropped",
		capacity, d.Group(), sum.Count, maxIndexEntries, strings.Join(each, ", "), (maxIndexEntries-others)/max(1, perFollower))
}

// ids are n ids.
func ids(n int) *pb.Value {
	values := make([]*pb.Value, n)
	for i := range values {
		values[i] = &pb.Value{ValueType: &pb.Value_StringValue{StringValue: fmt.Sprintf("%028d", i)}}
	}
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: values}}}
}
