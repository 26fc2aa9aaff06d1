//go:build long

package clientrules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/schema"
)

// full are documents of ours at their largest, as far as index entries go, and how many they may have: what the package
// comment's exemptions leave, at two for an element. Firestore's limit for one document is 40,000; the others bound what
// each follow, post and step of a job costs in write latency, storage, and of the 10 MiB of a transaction.
var full = []struct {
	path    string
	fields  map[string]any
	entries int
}{
	{"_relations/p_00001", map[string]any{
		"postId": "p", "userId": "u", "audience": "u", "indexId": "00001", "indexVersion": 7, "sizeBytes": 7, "createdAt": time.Now(), "expireAt": time.Now(), "followers": ids(schema.DefaultCapacity),
	}, 2*schema.DefaultCapacity + 1 + 2 + 2}, // the feed's, sync's, userId and audience up and down
	{"users/u/followers_index/00001", map[string]any{
		"followers": ids(schema.DefaultCapacity), "count": 7, "sizeBytes": 7, "version": 7, "backfilled": true,
		"changes": []any{map[string]any{"version": 7, "add": ids(100), "remove": ids(100)}},
	}, 1}, // count, up
	{"users/f/following/u", map[string]any{"createdAt": time.Now(), "indexId": "00001", "left": ids(3), "movesTo": "00002"}, 2},
	{"users/u", map[string]any{"followers_index": ids(2000), "latestFollowersIndex": "02000", "counts": map[string]any{"followers": 7, "following": 7, "posts": 7}}, 0},
	// Beside userId and createdAt, up and down, the composite of both.
	{"posts/p", map[string]any{"userId": "u", "createdAt": time.Now(), "counts": map[string]any{"likes": 7, "comments": 7}}, 2 + 2 + 1},
	// Of timelines: posts and accounts in the scopes of a collection and of all, two each; at and day up and down.
	{"users/r/timeline/p", map[string]any{
		"posts": ids(1), "accounts": ids(2), "post": "p", "author": "u", "audience": "g_u", "kind": "x", "at": 7, "fields": map[string]any{"text": "x"}, "expireAt": time.Now(), "created": 7, "hidden": true,
	}, 4*1 + 4*2 + 2},
	{"users/r/timeline/open", map[string]any{
		"posts": ids(50), "accounts": ids(100), "entries": entries(50), "sequence": 7, "size": 50, "slots": 20, "total": 7, "from": "7/p",
	}, 4*50 + 4*100},
	{"users/r/timeline/past-00000007", map[string]any{
		"posts": ids(50), "accounts": ids(100), "entries": entries(50), "sequence": 7, "size": 50, "slots": 20, "from": "7/p", "to": "8/q",
	}, 4*50 + 4*100},
	{"users/r/timeline/2026-11-23", map[string]any{
		"posts": ids(2000), "accounts": ids(4000), "entries": entries(2000), "day": "2026-11-23", "expireAt": time.Now(),
	}, 4*2000 + 4*4000 + 2},
	// The index entries of client writes: two for each time, and for the audience of a comment; one in each scope for its author, and three for its thread.
	{"users/r/settings/feed", map[string]any{"seenAt": time.Now(), "hide": ids(200), "show": ids(200)}, 2},
	{"users/r/settings/read", map[string]any{"readAt": time.Now(), "notifiedAt": time.Now()}, 2 * 2},
	{"users/r/hidden/p", map[string]any{"createdAt": time.Now()}, 2},
	{"users/r/rates/posts", map[string]any{"start": time.Now(), "at": time.Now(), "n": 7, "ids": ids(8)}, 2 * 3},
	{"_purging/u", map[string]any{"expireAt": time.Now()}, 0},
	// At its fullest, with the group that makes it all.
	{"_hides/p", map[string]any{"groups": ids(65), "all": true}, 2},
	{"posts/p/comments/c", map[string]any{"userId": "u", "audience": "g_u", "thread": "u/g_u", "createdAt": time.Now(), "text": "x"}, 9},
	// createdAt, userId and postId up and down, and one each for the latter two in the scope of all likes.
	{"posts/p/likes/u", map[string]any{"userId": "u", "postId": "p", "createdAt": time.Now()}, 3*2 + 2},
	// at, up and down, and two for each actor.
	{"users/r/notifications/like.p", map[string]any{"verb": "like", "object": "p", "count": 7, "actors": ids(5), "at": time.Now(), "expireAt": time.Now(), "told": map[string]any{"at": time.Now(), "left": ids(100), "most": 9}}, 2 + 2*5},
	// state, wakeAt, sweepAt, waits, updatedAt, and beside them kind, id and the like: two each.
	{"_functions/j", map[string]any{
		"state": "running", "wakeAt": time.Now(), "sweepAt": time.Now(), "waits": true, "updatedAt": time.Now(),
		"createdAt": time.Now(), "finishedAt": time.Now(), "expireAt": time.Now(), "args": map[string]any{"a": "x", "b": ids(10)}, "value": map[string]any{"a": "x"}, "counts": map[string]any{"a": 7, "b": 7},
		"error": map[string]any{"code": "x", "message": "x", "at": time.Now()},
		"lease": map[string]any{"holder": "x", "until": time.Now()}, "lastDoc": "posts/p",
	}, 5 * 2},
}

// entries are those of a document of a timeline.
func entries(n int) map[string]any {
	all := map[string]any{}
	for _, id := range ids(n) {
		all[id.(string)] = map[string]any{"post": id, "author": "u", "audience": "g_u", "at": 7, "kind": "x"}
	}
	return all
}

func ids(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = fmt.Sprintf("%028d", i)
	}
	return all
}

// value is v as Firestore stores it; of scalars that are no strings only the size matters here.
func value(v any) *pb.Value {
	switch v := v.(type) {
	case string:
		return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: v}}
	case []any:
		list := &pb.ArrayValue{}
		for _, e := range v {
			list.Values = append(list.Values, value(e))
		}
		return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: list}}
	case map[string]any:
		return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: values(v)}}}
	default:
		return &pb.Value{ValueType: &pb.Value_IntegerValue{}}
	}
}

func values(fields map[string]any) map[string]*pb.Value {
	all := map[string]*pb.Value{}
	for name, v := range fields {
		all[name] = value(v)
	}
	return all
}

// over says which documents have more index entries than they may, and in which indexes.
func over(file *indexfile.File) []string {
	var found []string
	for _, d := range full {
		entries := file.Entries(indexfile.NewDocument(d.path, values(d.fields)))
		if n := indexfile.Sum(entries).Count; n > d.entries {
			var each []string
			for _, e := range entries {
				each = append(each, fmt.Sprintf("%d in %v", e.Count, e.Index))
			}
			found = append(found, fmt.Sprintf("%s has %d index entries, at most %d are planned: %s", d.path, n, d.entries, strings.Join(each, ", ")))
		}
	}
	return found
}

func TestIndexEntriesOfFullDocuments(t *testing.T) {
	for _, what := range over(readIndexes(t)) {
		t.Error(what)
	}
}

// Each exemption keeps a document of ours within what is planned for it.
func TestEveryExemptionIsNeeded(t *testing.T) {
	file := readIndexes(t)
	for i, o := range file.Overrides {
		if len(o.Indexes) > 0 {
			continue // it adds an index, which TestEveryQueryHasItsIndex needs
		}
		without := &indexfile.File{Indexes: file.Indexes, Overrides: slices.Delete(slices.Clone(file.Overrides), i, i+1)}
		if len(over(without)) == 0 {
			t.Errorf("without the exemption of %s.%s no document has more index entries than planned", o.Group, o.Path)
		}
	}
}
