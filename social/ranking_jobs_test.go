package social_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Comments on one post share a job. The highest rank wins for each reader, in whatever order they
// come; those that come in one run cost one more.
func TestCommentsShareAJob(t *testing.T) {
	t.Parallel()
	const followers, comments, pages = 25, 60, 3
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true})
	var readers []string
	documents := map[string]map[string]any{
		"users/ann": {"name": "Ann", "followers_index": []string{"00001"}, "latestFollowersIndex": "00001"},
		"posts/p1":  {"userId": "ann", "createdAt": stories.Day},
	}
	for n := range followers {
		readers = append(readers, fmt.Sprintf("r%02d", n))
		documents["users/"+readers[n]+"/following/ann"] = map[string]any{"createdAt": stories.Day.Add(-time.Hour)}
	}
	documents["users/ann/followers_index/00001"] = map[string]any{
		"followers": readers, "count": followers, "sizeBytes": followers * 4, "version": 1, "changes": []any{}, "backfilled": true,
	}
	testkit.Write(t, a.Client, documents)
	a.OK(a.Instance().Timelines.Post(t.Context(), "p1"))
	var at []int64 // of the comments
	for n := range comments {
		ref := a.Client.Doc(fmt.Sprintf("posts/p1/comments/c%02d", n))
		created := stories.Day.Add(time.Duration(n+1) * time.Minute)
		a.Must(ref.Set(t.Context(), map[string]any{"userId": "ann", "createdAt": created}))
		at = append(at, created.UnixMicro())
	}
	cfg := a.Config
	cfg.InlineLimit = 1
	x, err := social.New(a.Client, chunker.New(a.Client, chunker.Options{Chunk: 1}), cfg)
	a.OK(err)
	comment := func(n int) {
		t.Helper()
		a.OK(x.Ranking.Comment(t.Context(), "p1", fmt.Sprintf("c%02d", n)))
	}
	id := schema.LiftJobID("p1", "ann")
	job := func() chunker.Job {
		t.Helper()
		all, err := x.Engine.Named(t.Context(), "lift:", 10)
		if err != nil || len(all) != 1 || all[0].ID != id {
			t.Fatalf("the jobs are %+v, %v; want %s alone", all, err, id)
		}
		return all[0]
	}
	page := func() {
		t.Helper()
		start, asked := time.Now(), 0
		spent := chunker.NewBudget(t.Context(), start, time.Minute, 0, func() time.Time { // after a page
			if asked++; asked < 2 {
				return start
			}
			return start.Add(time.Hour)
		})
		a.OK(x.Engine.Run(t.Context(), id, spent))
	}
	lifted := func(to int64) (n int) {
		t.Helper()
		for _, reader := range readers {
			if e := a.Timeline(reader); len(e) == 1 && e[0].At == to {
				n++
			}
		}
		return n
	}
	comment(10)
	comment(5) // late
	comment(20)
	page()
	if n := lifted(at[20]); n == 0 || n == followers {
		t.Fatalf("%d of %d entries stand at the highest rank after a page", n, followers)
	}
	for n := range comments {
		comment((n * 7) % comments) // the highest is not the last
	}
	ran := 1
	for ; job().State != chunker.Done; ran++ {
		if page(); ran > 2*pages {
			t.Fatalf("%d comments cost more than two runs of %d pages", comments, pages)
		}
	}
	if n := lifted(at[comments-1]); n != followers || ran != 2*pages {
		t.Errorf("%d of %d entries stand at the highest rank, after %d pages", n, followers, ran)
	}
	comment(comments - 1)
	comment(3)
	if job := job(); job.State != chunker.Done || len(job.Args) > 0 {
		t.Errorf("after comments that came twice and late, the job is %+v", job)
	}
}
