package relations_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A handler copies about four megabytes of follower ids, however few documents they are in. More
// are a job's.
func TestHandlerLeavesLargeCopiesToJob(t *testing.T) {
	t.Parallel()
	const full = schema.DefaultCapacity * schema.TypicalIDBytes
	const most = schema.InlineBytes / full
	index := func(size int, version int64, backfilled bool) map[string]any {
		return map[string]any{"followers": []string{"r"}, "count": 1, "sizeBytes": size, "version": version, "changes": []any{}, "backfilled": backfilled}
	}
	relation := func(p string) map[string]any {
		return map[string]any{"postId": p, "userId": "author", "audience": "author", "indexId": "00001", "indexVersion": 1,
			"followers": []string{}, "sizeBytes": 0, "createdAt": stories.Day}
	}
	post := func(x testkit.Worker) error { return x.Index.Deliveries.Post(t.Context(), "p0") }
	follow := func(x testkit.Worker) error { return x.Index.Graph.Follow(t.Context(), "author", "r") }
	for name, c := range map[string]struct {
		documents, posts int
		index            map[string]any
		stale            bool // relations have an older version, which the change log does not know
		event            func(testkit.Worker) error
		job              string // "": none
	}{
		"a post":                     {most, 1, index(2, 1, true), false, post, ""},
		"a post to one more":         {most + 1, 1, index(2, 1, true), false, post, "post:p0~00001-"},
		"a backfill":                 {1, most, index(full, 1, false), false, follow, ""},
		"a backfill of one more":     {1, most + 1, index(full, 1, false), false, follow, "index:author:00001"},
		"old relations":              {1, most, index(full, 9, true), true, follow, ""},
		"old relations and one more": {1, most + 1, index(full, 9, true), true, follow, "index:author:00001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
			documents := map[string]map[string]any{
				"users/author/followers/r": {"createdAt": stories.Day}, "users/r/following/author": {"indexId": "00001", "createdAt": stories.Day},
			}
			ids := []string{}
			for n := range c.documents {
				ids = append(ids, schema.IndexID(n+1))
				documents["users/author/followers_index/"+ids[n]] = c.index
			}
			documents["users/author"] = map[string]any{"followers_index": ids, "latestFollowersIndex": "00001"}
			for n := range c.posts {
				p := fmt.Sprintf("p%d", n)
				documents["posts/"+p] = map[string]any{"userId": "author", "createdAt": stories.Day.Add(time.Duration(n) * time.Hour)}
				if c.stale {
					documents["_relations/"+schema.RelationID(p, "00001")] = relation(p)
				}
			}
			testkit.Write(t, a.Client, documents)
			a.OK(c.event(a.Worker(0)))
			jobs, err := a.Instance().Engine.List(t.Context(), 10, chunker.Queued)
			a.OK(err)
			// The documents are smaller than they say, so a job that mends them may be there too.
			var got string
			for _, job := range jobs {
				if job.ID == c.job {
					got = job.ID
				}
			}
			copied := 0
			for path, fields := range testkit.Documents(t, a.Client, nil) {
				if v, _ := fields["indexVersion"].(int64); strings.HasPrefix(path, "_relations/") && v == c.index["version"] {
					copied++
				}
			}
			if got != c.job || (copied > 0) != (c.job == "") {
				t.Errorf("the jobs are %v, want %q; %d relations are copied", jobs, c.job, copied)
			}
		})
	}
}
