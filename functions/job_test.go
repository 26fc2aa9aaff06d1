package functions_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
)

// twoPages is the budget of a clock that jumps two minutes each time it is
// read: it is spent after a page or two.
func twoPages(ctx context.Context) chunker.Budget {
	var ahead time.Duration
	start := time.Now()
	return chunker.NewBudget(ctx, start, 9*time.Minute, time.Minute, func() time.Time {
		ahead += 2 * time.Minute
		return start.Add(ahead)
	})
}

func (a *app) job(id string) chunker.Job {
	a.t.Helper()
	doc, err := a.Client.Doc("_functions/" + id).Get(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	var job chunker.Job
	if err := doc.DataTo(&job); err != nil {
		a.t.Fatal(err)
	}
	return job
}

func TestFanoutBeyondTheInlineLimitIsAJobOfSeveralHops(t *testing.T) {
	t.Parallel()
	const followers = 24
	a := newApp(t, config.Functions{Capacity: 1, InlineLimit: 5, Chunk: 4})
	a.Handlers().Budget = twoPages
	for i := range followers {
		a.follow(fmt.Sprintf("r%02d", i), "author")
	}
	a.idle()
	a.post("p1", "author", day)
	a.idle()
	for i := range followers {
		a.wantFeed(fmt.Sprintf("r%02d", i), "p1")
	}
	job := a.job("post:p1")
	if job.State != chunker.Done || job.Done != followers || job.Hop < 3 {
		t.Errorf("job is %s after %d hops with %d documents done, want done after at least 3 with %d", job.State, job.Hop, job.Done, followers)
	}
	a.wantVerified()

	a.must(a.Client.Doc("posts/p1").Delete(t.Context()))
	a.idle()
	if got := a.count("_relations"); got != 0 {
		t.Errorf("%d relations of a deleted post", got)
	}
	a.wantVerified()
}

func TestSyncBeyondTheInlineLimitIsAJob(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{InlineLimit: 3, Chunk: 2})
	a.Handlers().Budget = twoPages
	want := []string{}
	for i := range 9 {
		a.post(fmt.Sprintf("p%d", i), "author", day.Add(-time.Duration(i)*time.Hour))
		want = append(want, fmt.Sprintf("p%d", i))
	}
	a.idle()
	a.follow("r1", "author") // backfill
	a.idle()
	a.wantFeed("r1", want...)
	for _, r := range []string{"r2", "r3", "r4"} { // sync
		a.follow(r, "author")
	}
	a.idle()
	a.wantFeed("r2", want...)
	a.wantFeed("r4", want...)
	a.unfollow("r1", "author")
	a.idle()
	a.wantFeed("r1")
	if job := a.job("index:author:00001"); job.State != chunker.Done {
		t.Errorf("job is %s, want done", job.State)
	}
	a.wantVerified()
}
