package chunker_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A job of many hops that nothing disturbs costs, beyond what its pages write,
// two writes a hop (it is claimed, and handed over or finished), each of which
// invokes the function once.
func TestCostOfAHop(t *testing.T) {
	t.Parallel()
	const k = 24
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 1, Chunk: 4, Step: time.Nanosecond})
	for i := range k {
		a.Follow(fmt.Sprintf("r%02d", i), "author")
	}
	a.Settle()
	before := testkit.Machine(t).Emulator.Broker().Stats(a.ID)
	used := a.Used(func() { a.Post("p1", "author", stories.Day) })
	after := testkit.Machine(t).Emulator.Broker().Stats(a.ID)
	job, err := chunker.New(a.Client, chunker.Options{}).Get(t.Context(), "post:p1~00001-")
	if err != nil || job.State != chunker.Done {
		t.Fatalf("job is %s with %v (%v)", job.State, job.Error, err)
	}
	const pages = k / 4
	if job.Hop != pages {
		t.Errorf("%d hops, want %d: one for each page", job.Hop, pages)
	}
	if engine := used.Writes - k; engine > 1+2*pages { // enqueued once
		t.Errorf("the engine made %d writes, want at most %d", engine, 1+2*pages)
	}
	if calls := after.Deliveries - before.Deliveries; calls > 1+1+2*pages { // of the post, of the job
		t.Errorf("%d invocations, want at most %d", calls, 2+2*pages)
	}
	t.Logf("%d hops: %v, %d invocations", job.Hop, used, after.Deliveries-before.Deliveries)
}

// A task that always fails runs maxAttempts times, however often its events come.
func TestFailingJobRunsMaxAttempts(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 1})
	for i := range 3 {
		a.Follow(fmt.Sprintf("r%d", i), "author")
	}
	a.Settle()
	a.Must(a.Client.Doc("_functions/hand").Set(t.Context(), map[string]any{"kind": "no such kind", "state": "queued", "maxAttempts": 3}))
	a.Settle()
	job, err := chunker.New(a.Client, chunker.Options{}).Get(t.Context(), "hand")
	if err != nil || job.State != chunker.Failed || job.Attempt != 3 || job.Hop > 0 {
		t.Errorf("job is %s after %d attempts and %d hops with %v (%v), want failed after 3", job.State, job.Attempt, job.Hop, job.Error, err)
	}
	if job.Error == nil || job.Error.Message == "" {
		t.Error("the job does not say why")
	}
}
