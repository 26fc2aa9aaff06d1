package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// CheckIndexes reports what a firestore.indexes.json lacks for c, and what to add: an index for a query, or an
// exemption of a field of user documents. It also reports a capacity at which a relation or an index document
// has more index entries than production accepts.
func CheckIndexes(c schema.Config, indexes []byte) error {
	file, err := indexfile.Parse(indexes)
	if err != nil {
		return fmt.Errorf("firestore.indexes.json: %w", err)
	}
	return CheckIndexFile(c, file)
}

// CheckIndexFile is [CheckIndexes] for a parsed file.
func CheckIndexFile(c schema.Config, file *indexfile.File) error {
	n := c.Collections()
	const up, down = indexfile.Ascending, indexfile.Descending
	queries := []composite{
		{"feeds", names.Relations, []indexfile.Field{{Path: "followers", Mode: indexfile.Contains}, {Path: "createdAt", Mode: down}}},
		{"follows", names.Relations, []indexfile.Field{{Path: names.FieldAudience, Mode: up}, {Path: "indexId", Mode: up}, {Path: "indexVersion", Mode: up}}},
		{"profiles", n.Posts, []indexfile.Field{{Path: "userId", Mode: up}, {Path: "createdAt", Mode: down}}},
		{"pages of an audience", n.Posts, []indexfile.Field{{Path: names.FieldAudience, Mode: up}, {Path: names.FieldHidden, Mode: up}, {Path: "createdAt", Mode: down}}},
		{"feeds read without relations", n.Posts, []indexfile.Field{{Path: names.FieldAudience, Mode: up}, {Path: "createdAt", Mode: down}}},
		{"feeds read without relations", n.Posts, []indexfile.Field{{Path: names.FieldTo, Mode: indexfile.Contains}, {Path: "createdAt", Mode: down}}},
		{"slices", n.Posts, []indexfile.Field{{Path: names.FieldRefs, Mode: indexfile.Contains}, {Path: "createdAt", Mode: down}}},
		{"jobs of one owner", names.Jobs, []indexfile.Field{{Path: "kind", Mode: up}, {Path: "owner", Mode: up}, {Path: "state", Mode: up}, {Path: "wakeAt", Mode: up}}},
		{"blocks", n.Posts, []indexfile.Field{{Path: names.FieldTo, Mode: indexfile.Contains}, {Path: "userId", Mode: up}, {Path: "createdAt", Mode: down}}},
		{"lists of comments", names.Comments, []indexfile.Field{{Path: "thread", Mode: up}, {Path: "createdAt", Mode: down}}},
	}
	var errs []error
	for _, q := range queries {
		x := indexfile.Index{Group: q.group, Scope: indexfile.Collection, Fields: q.fields}
		if !slices.ContainsFunc(file.Composites(q.group), func(has indexfile.Index) bool {
			return has.Scope == x.Scope && slices.Equal(withoutName(has.Fields), x.Fields)
		}) {
			errs = append(errs, fmt.Errorf("firestore.indexes.json has no composite index %v for %s, which %s require: add to its \"indexes\": %s", x, q.group, q.by, x.JSON()))
		}
	}
	one := func(group string, scope indexfile.Scope, path string, mode indexfile.Mode) indexfile.Index {
		return indexfile.Index{Group: group, Scope: scope, Fields: []indexfile.Field{{Path: path, Mode: mode}}}
	}
	const deletion = "the deletion of accounts requires"
	singles := []single{
		{deletion, one(names.Relations, indexfile.Collection, names.FieldUserID, up)},
		{deletion, one(names.Relations, indexfile.Collection, names.FieldAudience, up)},
		{deletion, one(n.Posts, indexfile.Collection, names.FieldUserID, up)},
		{deletion, one(n.Posts, indexfile.Collection, names.FieldAudience, up)},
		{deletion, one(n.Posts, indexfile.Collection, names.FieldTo, indexfile.Contains)},
		{deletion, one(n.Posts, indexfile.Collection, names.FieldRefs, indexfile.Contains)},
		{deletion, one(n.Users, indexfile.Collection, "ownerId", up)},
		{deletion, one(names.Requests, indexfile.CollectionGroup, "followerId", up)},
		{deletion, one(names.Comments, indexfile.CollectionGroup, "userId", up)},
		{deletion, one(names.Likes, indexfile.CollectionGroup, "userId", up)},
		{deletion, one(names.Jobs, indexfile.Collection, "args."+schema.ArgAccount, up)},
		{deletion, one(names.Jobs, indexfile.Collection, "args."+schema.ArgAuthor, up)},
		{deletion, one(names.Jobs, indexfile.Collection, "args."+schema.ArgReader, up)},
	}
	if c.Counts {
		singles = append(singles, single{"numbers require", one(names.FollowersIndex, indexfile.Collection, "count", up)})
	}
	if c.Notifications {
		singles = append(singles, single{"notifications require", one(names.Notifications, indexfile.Collection, "actors", indexfile.Contains)})
	}
	for _, x := range singles {
		has := file.Automatic(x.Group, x.Fields[0].Path)
		if !slices.ContainsFunc(has, func(has indexfile.Index) bool { return has.Scope == x.Scope && slices.Equal(has.Fields, x.Fields) }) {
			errs = append(errs, fmt.Errorf("firestore.indexes.json has no index %v for %s, which %s: add to its \"fieldOverrides\": %s", x.Index, x.Group, x.by, x.OverrideJSON(has)))
		}
	}
	exempt := []string{names.FieldFollowersIndex, names.FieldLatestIndex}
	if c.Counts {
		exempt = append(exempt, names.FieldCounts)
	}
	for _, field := range exempt {
		if len(file.Automatic(n.Users, field)) > 0 {
			errs = append(errs, fmt.Errorf(`firestore.indexes.json does not exempt %s.%s: add to its "fieldOverrides": {"collectionGroup":%q,"fieldPath":%q,"indexes":[]}`, n.Users, field, n.Users, field))
		}
	}
	indexDocument := []string{"count", "sizeBytes", "version", "changes", "backfilled"}
	capacity := c.WithDefaults().Capacity
	return errors.Join(append(errs,
		carries(file, names.Relations+"/p_i", slices.Concat(relationFields, c.CopiedFields), capacity),
		carries(file, n.Users+"/u/"+names.FollowersIndex+"/i", indexDocument, capacity))...)
}

// single is an index on one field, and the reason that it is required.
type single struct {
	by string
	indexfile.Index
}

// composite is a query that needs a composite index.
type composite struct {
	by, group string
	fields    []indexfile.Field
}

// withoutName returns the fields of an index without an explicit __name__ at the end, if
// __name__ has its default direction, the direction of the field before it.
func withoutName(fields []indexfile.Field) []indexfile.Field {
	last := len(fields) - 1
	if last > 0 && fields[last] == (indexfile.Field{Path: indexfile.Name, Mode: fields[last-1].Mode}) {
		return fields[:last]
	}
	return fields
}

// carries reports a document that has too many index entries with capacity followers. It
// runs at every start of an instance, so it only measures documents with one follower and
// with two: each further follower adds as many entries.
func carries(file *indexfile.File, path string, fields []string, capacity int) error {
	with := func(followers int) []indexfile.Entries {
		values := map[string]*pb.Value{"followers": ids(followers)}
		for _, name := range fields {
			values[name] = &pb.Value{ValueType: &pb.Value_StringValue{}} // has as many entries as any value, and needs no encoding
		}
		return file.Entries(indexfile.NewDocument(path, values))
	}
	one, two := with(1), with(2)
	var each []string
	perFollower := 0
	for i, e := range one {
		if slope := two[i].Count - e.Count; slope > 0 && slices.ContainsFunc(e.Index.Fields, func(f indexfile.Field) bool { return f.Mode == indexfile.Contains }) {
			each = append(each, fmt.Sprintf("%d in %v", e.Count+slope*(capacity-1), e.Index))
			perFollower += slope
		}
	}
	others := indexfile.Sum(one).Count - perFollower
	count := others + perFollower*capacity
	if count <= maxIndexEntries {
		return nil
	}
	return fmt.Errorf("RELATIONINDEX_CAPACITY=%d: with so many followers, a document of %s has %d index entries under firestore.indexes.json, but at most %d are allowed: %s; must be at most %d, or drop the index",
		capacity, indexfile.NewDocument(path, nil).Group(), count, maxIndexEntries, strings.Join(each, ", "), (maxIndexEntries-others)/max(1, perFollower))
}

// ids returns an array of n ids.
func ids(n int) *pb.Value {
	list := &pb.ArrayValue{}
	for i := range n {
		list.Values = append(list.Values, &pb.Value{ValueType: &pb.Value_StringValue{StringValue: fmt.Sprint(i)}})
	}
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: list}}
}
