package followers_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A page continues past a damaged index document only if nothing else is wrong. Any other
// error fails the page, which is then retried.
func TestPagePastDamagedIndexDocumentReturnsOtherErrors(t *testing.T) {
	t.Parallel()
	const index = "users/author/followers_index/"
	for name, c := range map[string]struct {
		also func(a *testkit.App)
		fail wire.Interceptor
		want string
	}{
		"a relation cannot be written": {
			func(*testkit.App) {}, testkit.Failing(codes.PermissionDenied, testkit.CommitOf("_relations/")), "of the test",
		},
		"an old relation cannot be deleted": {
			func(a *testkit.App) {
				a.Must(a.Client.Doc("_relations/p2_00009").Set(t.Context(), map[string]any{"postId": "p2", "userId": "other", "indexId": "00009", "createdAt": stories.Day}))
			}, testkit.Failing(codes.PermissionDenied, testkit.DeleteOf("_relations/p2_00009")), "of the test",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true, InlineLimit: 2})
			a.Damage(index+"00001", testkit.Mendable)
			a.Post("p2", "author", stories.Day.Add(2*time.Hour))
			a.OK(a.Instance().Deliveries.Post(t.Context(), "p2"))
			c.also(a)
			job := a.Worker(0, c.fail).Until(a, "post:p2~00001-")
			if job.State != chunker.Queued || job.Error == nil || !strings.Contains(job.Error.Message, c.want) {
				t.Errorf("the job is %s, with the error %+v", job.State, job.Error)
			}
		})
	}
}

// A damaged edge costs an event, and an import, more than a sound one: both read the index
// documents, and write the edge. The other followers of the batch cost nothing more.
func TestCostOfADamagedEdge(t *testing.T) {
	t.Parallel()
	cost := func(t *testing.T, a *testkit.App, do func(x *social.System) error) wire.Counts {
		t.Helper()
		var meter wire.Meter
		testkit.NoError(t, do(a.Instance(meter.Interceptor())))
		return meter.Counts()
	}
	want := func(t *testing.T, got, sound wire.Counts, reads, writes int64) {
		t.Helper()
		if more := got.Minus(sound); more.Reads != reads || more.Writes != writes || more.Deletes != 0 {
			t.Errorf("it costs %v more, want %d reads and %d writes", more, reads, writes)
		}
	}
	t.Run("an event", func(t *testing.T) {
		t.Parallel()
		a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
		event := func(x *social.System) error { return x.Graph.Follow(t.Context(), "author", "r03") }
		a.Damage("users/r03/following/author", map[string]any{"indexId": 7})
		// User, follow and edge; tombstone, follow and edge; and the job that tells of it, once.
		want(t, cost(t, a, event), wire.Counts{}, 6, 1)
		want(t, cost(t, a, event), wire.Counts{}, 6, 0)
	})
	t.Run("a batch of an import", func(t *testing.T) {
		t.Parallel()
		a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
		a.Damage("users/r03/following/author", map[string]any{"indexId": 7})
		adopt := func() error {
			return load.New(a.Instance()).Adopt(t.Context(), []load.Follows{{Author: "author", Followers: []string{"r03", "new"}}}, load.Options{})
		}
		if err := adopt(); !errors.Is(err, schema.ErrDamaged) || !strings.Contains(err.Error(), "users/r03/following/author") {
			t.Errorf("it ends with %v, want the damaged edge", err)
		}
		a.Repair("")
		testkit.NoError(t, adopt())
		a.WantVerified()
	})
}

// Posts skip a damaged document. A person repairs it before its job runs, and the job adds the posts.
func TestManuallyRepairedIndexDocumentGetsSkippedPosts(t *testing.T) {
	t.Parallel()
	a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
	a.Damage("users/author/followers_index/00002", map[string]any{"followers": "x"})
	a.Post("p2", "author", stories.Day.Add(2*time.Hour))
	a.OK(a.Instance().Deliveries.Post(t.Context(), "p2"))
	a.Must(a.Client.Doc("users/author/followers_index/00002").Update(t.Context(), []firestore.Update{{Path: "followers", Value: []string{"r02", "r03"}}}))
	testkit.NoError(t, a.Worker(time.Hour).Finish(a))
	a.WantFeed("r02", "p2", "p1", "p0")
	a.WantVerified()
}

// An index document that cannot be mended has a job, which has room for so many who wait to leave.
// The event of a further leaver is retried.
func TestFullJobHasNoRoomForAnotherLeaver(t *testing.T) {
	t.Parallel()
	a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
	a.Must(a.Client.Doc("users/author/followers_index/00001").Set(t.Context(), testkit.BeyondRepair))
	a.Unfollow("r00", "author")
	event := func() error { return a.Instance().Graph.Follow(t.Context(), "author", "r00") }
	if err := event(); !errors.Is(err, schema.ErrDamaged) {
		t.Error(err)
	}
	a.Worker(0).Until(a, "index:author:00001")
	a.Damage("_functions/index:author:00001", map[string]any{"args": map[string]any{"leaving": strings.Repeat("x", 256<<10)}})
	if err := event(); !errors.Is(err, schema.ErrDamaged) {
		t.Errorf("without room for the name, the event ends with %v", err)
	}
	a.Damage("_functions/index:author:00001", map[string]any{"args": map[string]any{"leaving": "x"}})
	testkit.NoError(t, event())
	if leaving := a.Job("index:author:00001").Args[schema.ArgLeaving]; leaving != "x/r00" {
		t.Errorf("%q wait to leave, want r00 among them", leaving)
	}
}

// An unfollow needs no list of index documents, even with joiners in the same transaction.
func TestUnfollowNeedsNoIndexDocumentList(t *testing.T) {
	t.Parallel()
	a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
	a.Must(a.Client.Doc("users/author/followers_index/00003").Delete(t.Context()))
	x := a.Instance()
	var all sync.WaitGroup
	for n := range 6 {
		leaver, joiner := fmt.Sprintf("r%02d", n), fmt.Sprintf("new%d", n)
		a.Unfollow(leaver, "author")
		a.Follow(joiner, "author")
		for _, f := range []string{leaver, joiner} {
			all.Go(func() {
				if err := x.Graph.Follow(t.Context(), "author", f); err != nil {
					t.Errorf("the event of %s ends with %v", f, err)
				}
			})
		}
	}
	all.Wait()
	for n := range 4 { // r04 and r05 were in the document that is gone
		a.WantGone(fmt.Sprintf("r%02d", n))
	}
	a.WantTold("users/author/followers_index/00004")
	a.RepairDamaged()
	if err := a.Worker(time.Hour).Finish(a); err != nil {
		t.Error(err)
	}
	a.WantVerified()
	a.WantFeed("new0", "p1", "p0")
}
