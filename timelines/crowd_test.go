package timelines_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// crowd gives ada n followers in index documents of size readers, as if all had followed.
func (w *world) crowd(n, size int) {
	w.t.Helper()
	documents := map[string]map[string]any{}
	var ids []string
	for from := 0; from < n; from += size {
		var readers []string
		bytes := 0
		for i := from; i < min(n, from+size); i++ {
			readers = append(readers, fmt.Sprintf("r%05d", i))
			bytes += 7
		}
		ids = append(ids, fmt.Sprintf("%05d", len(ids)+1))
		documents["users/ada/followers_index/"+ids[len(ids)-1]] = map[string]any{
			"followers": readers, "count": len(readers), "sizeBytes": bytes, "version": 1, "changes": []any{}, "backfilled": true,
		}
	}
	documents["users/ada"] = map[string]any{"name": "Ada", "followers_index": ids, "latestFollowersIndex": ids[len(ids)-1]}
	testkit.Write(w.t, w.client, documents)
}

// jobs runs all jobs to their end in a process.
func (w *world) jobs(ctx context.Context, p *process) error {
	for {
		open, err := p.engine.Unfinished(ctx, 10)
		if err != nil || len(open) == 0 {
			return err
		}
		for _, job := range open {
			budget := chunker.NewBudget(ctx, time.Now(), time.Minute, 0, nil)
			if err := p.engine.Run(ctx, job.ID, budget); err != nil {
				return err
			}
		}
	}
}

// A job delivers a post to a thousand readers, in batches, and a job removes it. Both cost
// the entries, and a few reads for each page and batch.
func TestPostToAThousandRunsAsJob(t *testing.T) {
	t.Parallel()
	const n = 1150
	for name, opts := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.crowd(n, 500)
			var meter wire.Meter
			p := w.open(meter.Interceptor())
			for round := range 2 {
				post := fmt.Sprint("p", round)
				w.write(post)
				before, began := meter.Counts(), time.Now()
				w.must(w.event(p, post)())
				if _, err := p.engine.Get(t.Context(), schema.TimelinePostJobID(post)); err != nil {
					t.Errorf("%s is not delivered by a job: %v", post, err)
				}
				w.must(w.jobs(t.Context(), p))
				after, took := meter.Counts(), time.Since(began)
				reads, writes := after.Reads-before.Reads, after.Writes-before.Writes
				t.Logf("%s: %d readers in %v: %d reads, %d writes", post, n, took.Round(time.Millisecond), reads, writes)
				perReader := map[string][2]int64{"items": {0, 1}, "days": {0, 1}, "buckets of 50": {1 + 1 - int64(round), 1}, "buckets of 1": {2, 1 + int64(round)}, "light buckets of 1": {2 + int64(round), 1 + int64(round)}}[name]
				if extra := reads - perReader[0]*n; extra < 0 || extra > 100 {
					t.Errorf("%s: %d reads, want %d for each of %d readers and at most 100 more", post, reads, perReader[0], n)
				}
				if extra := writes - perReader[1]*n; extra < 0 || extra > 10 {
					t.Errorf("%s: %d writes, want %d for each of %d readers and at most 10 more", post, writes, perReader[1], n)
				}
			}
			count := func() int64 {
				total, err := bulk.Count(t.Context(), w.client.CollectionGroup("timeline").Where("posts", "array-contains", "p0"))
				w.must(err)
				return total
			}
			if got := count(); got != n {
				t.Errorf("%d readers have the post, want %d", got, n)
			}
			_, err := w.client.Doc("posts/p0").Update(t.Context(), []firestore.Update{{Path: "hidden", Value: true}})
			w.must(err)
			w.must(w.event(p, "p0")())
			w.must(w.jobs(t.Context(), p))
			if got := count(); got != 0 {
				t.Errorf("%d readers have a hidden post", got)
			}
			w.wantFeed("r00000", "p1")
			w.wantFeed("r01149", "p1")
		})
	}
}

// A damaged index document keeps the post from its own followers alone, until its job has mended
// it. If nobody can, the others have the post, and the job ends.
func TestDamagedIndexDocumentBlocksNoOtherFollower(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{"at once": 100, "in a job": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, items)
			w.limit = limit
			w.process = w.open()
			w.crowd(9, 3)
			w.set("users/ada/followers_index/00002", map[string]any{"followers": "all of them", "version": 1})
			w.write("p1")
			w.must(w.event(w.process, "p1")())
			if _, err := w.engine.Get(t.Context(), schema.TimelinePostJobID("p1")); err != nil {
				t.Errorf("the job of the post, which waits for the index document: %v", err)
			}
			job, err := w.engine.Get(t.Context(), schema.TimelinePostJobID("p1"))
			w.must(err)
			for range skipped { // alone
				w.later += time.Hour
				_ = w.engine.Run(t.Context(), job.ID, chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil))
			}
			if job, err = w.engine.Get(t.Context(), job.ID); err != nil || job.State.Finished() {
				t.Errorf("the job of the post has ended before that of the index document: %s, %v", job.State, err)
			}
			for range skipped {
				w.later += time.Hour
				open, err := w.engine.Unfinished(t.Context(), 10)
				w.must(err)
				for _, job := range open {
					_ = w.engine.Run(t.Context(), job.ID, chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil))
				}
			}
			for n := range 9 {
				want := []string{"p1"}
				if n/3 == 1 {
					want = nil
				}
				w.wantFeed(fmt.Sprintf("r%05d", n), want...)
			}
			open, err := w.engine.Unfinished(t.Context(), 10)
			w.must(err)
			for _, job := range open {
				if job.Kind == schema.KindTimelinePost {
					t.Errorf("the job of the post does not end: %+v", job)
				}
			}
		})
	}
}

const skipped = 5 // steps: the job of the index document fails in the first

// The event of a return is delivered again after its job is done, before it is settled. The event
// removes entries, and the job restores them.
func TestDuplicateReturnEventRestoresEntries(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]layout.Layout{"items": layout.Items{}, "buckets": layout.NewBuckets(50, 0)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, timelines.Options{Layout: l, Backfill: 20})
			var want []string
			for n := range 8 {
				p := fmt.Sprintf("p%d", n)
				w.writeAgo(p, time.Duration(n+1)*time.Hour)
				want = append(want, p)
			}
			w.limit = 3
			w.process = w.open()
			w.joins("r1")
			w.must(w.jobs(t.Context(), w.process))
			w.wantFeed("r1", want...)
			follow, err := w.client.Doc("users/ada/followers/r1").Get(t.Context())
			w.must(err)
			since, _ := follow.Data()["createdAt"].(time.Time)
			for range 2 {
				w.must(w.d.Followed(t.Context(), followers.Change{Author: "ada", Follower: "r1", Follows: true, Returned: true, Since: since}))
				w.must(w.jobs(t.Context(), w.process))
				w.wantFeed("r1", want...)
			}
		})
	}
}
