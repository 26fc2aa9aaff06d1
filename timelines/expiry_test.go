package timelines_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// An item expires so long after createdAt, also when a comment has lifted it: it is not shown any
// longer, and an edit of createdAt moves the time.
func TestLiftDoesNotExtendExpiry(t *testing.T) {
	t.Parallel()
	const after = 48 * time.Hour
	w := &world{t: t, opts: timelines.Options{Layout: layout.Items{Expire: after, Ranked: true}}}
	w.options = schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, Expire: after, Ranked: true}
	made := newWorld(t, w.opts)
	w.project, w.opts = made.project, made.opts
	w.process = w.open()
	now := time.Now().UTC().Truncate(time.Millisecond)
	w.followsSince("ada", "r1", now.Add(-2*after))
	lift := func(p string, at time.Time) {
		t.Helper()
		w.must(w.client.RunTransaction(t.Context(), func(ctx context.Context, tx *firestore.Transaction) error {
			return layout.Lift(ctx, w.d.Database(), tx, []*firestore.DocumentRef{w.client.Doc("users/r1/timeline/" + p)}, at.UnixMicro())
		}))
	}
	expires := func(p string, want time.Time) {
		t.Helper()
		if got, _ := w.data("users/r1/timeline/" + p)["expireAt"].(time.Time); !got.Equal(want.Add(after)) {
			t.Errorf("%s expires at %v, want %v", p, got, want.Add(after))
		}
	}
	created := map[string]time.Time{"p1": now.Add(-47 * time.Hour), "p2": now.Add(-time.Hour), "p3": now.Add(-2 * time.Hour)}
	for _, p := range []string{"p1", "p2", "p3"} {
		w.of("ada", p, created[p])
		w.must(w.d.Post(t.Context(), p))
	}
	lift("p1", now)
	lift("p1", now.Add(time.Minute))
	expires("p1", created["p1"])
	w.wantFeed("r1", "p1", "p2", "p3")

	w.of("ada", "p1", created["p1"].Add(-30*time.Minute)) // still below the lift
	w.must(w.d.Post(t.Context(), "p1"))
	expires("p1", created["p1"].Add(-30*time.Minute))
	w.wantNoProblem()

	w.of("ada", "p1", now.Add(-after-time.Hour)) // it expires by that
	w.must(w.d.Post(t.Context(), "p1"))
	expires("p1", now.Add(-after-time.Hour))
	w.wantFeed("r1", "p2", "p3")
	w.wantNoProblem()
}

// A lift is retried while its entry keeps changing.
func TestLiftIsRetriedUnderContention(t *testing.T) {
	t.Parallel()
	w := newWorld(t, items)
	now := time.Now().UTC().Truncate(time.Millisecond)
	w.followsSince("ada", "r1", now.Add(-time.Hour))
	w.of("ada", "p1", now)
	w.must(w.d.Post(t.Context(), "p1"))
	var commits atomic.Int64
	d := w.open(testkit.Failing(codes.FailedPrecondition, func(req any) bool { return isTimelineCommit(req) && commits.Add(1) <= work.MaxRounds })).d
	w.must(d.Lift(t.Context(), "p1", now.Add(time.Minute).UnixMicro(), []string{"r1"}))
	listed, err := w.newest("r1")
	if w.must(err); len(listed) != 1 || listed[0].At != now.Add(time.Minute).UnixMicro() {
		t.Errorf("after %d commits: %+v", commits.Load(), listed)
	}
}
