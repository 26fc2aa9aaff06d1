package relations_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A post of an author with many index documents is carried to them, edited,
// given to another author and deleted by jobs that each have a range of them.
func TestRangeJobsCarryPostChanges(t *testing.T) {
	t.Parallel()
	const k = 11
	a := testkit.NewApp(t, testkit.InRanges)
	a.Followed("author", k)
	a.Follow("r00", "other")
	a.Follow("fan", "other")
	a.Settle()
	post := a.Client.Doc("posts/p1")

	created := a.Used(func() { a.Post("p1", "author", stories.Day) })
	a.WantRanges("p1", 3, k)
	a.WantFeed("r10", "p1")

	edited := a.Used(func() { a.Must(post.Update(t.Context(), []firestore.Update{{Path: "text", Value: "new"}})) })
	a.WantRanges("p1", 3, k)
	a.WantVerified()

	a.Must(post.Update(t.Context(), []firestore.Update{{Path: "userId", Value: "other"}}))
	a.Settle()
	a.WantFeed("r10")
	a.WantFeed("fan", "p1")
	a.Must(post.Update(t.Context(), []firestore.Update{{Path: "userId", Value: "author"}}))
	a.Settle()
	a.WantFeed("r10", "p1")
	a.WantFeed("fan")

	deleted := a.Used(func() { a.Must(post.Delete(t.Context())) })
	a.WantRanges("p1", 3, k)
	if got := a.Count("_relations"); got != 0 {
		t.Errorf("%d relations of a deleted post", got)
	}
	a.WantVerified()

	// Beyond the relations: the jobs are enqueued, and each page is claimed and handed over or
	// finished. Two ranges look for more relations after the four that make two full pages. A step
	// that leaves its turn to another job writes that one.
	const enqueued, pages = 3, 6
	for what, c := range map[string]struct {
		used   wire.Counts
		writes int64
	}{"post": {created, k + enqueued + 2*pages}, "edit": {edited, k + enqueued + 2*(pages+2)}, "deletion": {deleted, enqueued + 2*(pages+2)}} {
		if c.used.Writes < c.writes || c.used.Writes > c.writes+pages+2 {
			t.Errorf("the %s cost %v, want %d writes, and one for each step at most", what, c.used, c.writes)
		}
	}
	if deleted.Deletes != k {
		t.Errorf("the deletion cost %v, want %d deletes", deleted, k)
	}
	t.Logf("post: %v; edit: %v; deletion: %v", created, edited, deleted)
}

// The jobs of a post to five index documents are running, or done, when the post moves to an
// audience of three. The last range gets another beginning and no end, and the post's relations
// beyond it are deleted.
func TestPostMovesToSmallerAudienceDuringRanges(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 1, Range: 2, Chunk: 1})
	a.Followed("author", 5)
	for n := range 3 {
		a.Follow(fmt.Sprintf("o%02d", n), "other")
	}
	a.Settle()
	a.Silence()
	a.Post("p", "author", stories.Day)
	w := a.Worker(0)
	event := func() {
		t.Helper()
		if err := w.Index.Deliveries.Post(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
	}
	event()
	jobs, err := w.Named(t.Context(), schema.PostJobs("p"), 10)
	if err != nil || len(jobs) != 3 {
		t.Fatalf("the jobs are %v, %v, want three", jobs, err)
	}
	w.Alone(a, jobs[2].ID)
	if job := w.Step(a, jobs[1].ID); job.State != chunker.Queued || job.LastDoc == nil {
		t.Fatalf("the job of the second range is %s after %v, want it in the middle", job.State, job.LastDoc)
	}
	a.Edit("p", firestore.Update{Path: "userId", Value: "other"}, firestore.Update{Path: "audience", Value: "other"})
	event()
	if err := w.Finish(a); err != nil {
		t.Fatal(err)
	}
	a.WantFeed("r04")
	a.WantFeed("o02", "p")
	a.WantVerified()
}
