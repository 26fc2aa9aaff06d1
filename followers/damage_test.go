package followers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// The event of a follow reports its unreadable edge once, and leaves it: a repair
// creates it again.
func TestDamagedEdgeIsReported(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string]map[string]any{
		"a number":                 {"indexId": 7},
		"no index document":        {"indexId": "zzz"},
		"no document id":           {"indexId": "a/b"},
		"a reserved id":            {"indexId": "__x__"},
		"left is a string":         {"indexId": "00001", "left": "00002"},
		"left is no document":      {"indexId": "00001", "left": []string{"a/b"}},
		"createdAt is a string":    {"indexId": "00001", "createdAt": "yesterday"},
		"another index document's": {"indexId": []string{"00002"}, "createdAt": stories.Day},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.SoundApp(t)
			x := a.Instance()
			follow := func(f string) {
				t.Helper()
				if err := x.Graph.Follow(t.Context(), "author", f); err != nil {
					t.Errorf("the event of %s ends with %v", f, err)
				}
			}
			const edge = "users/r1/following/author"
			a.Must(a.Client.Doc(edge).Set(t.Context(), fields))
			follow("r1")
			follow("r1")
			a.WantTold(edge)
			a.RepairDamaged()
			a.WantTold()
			a.WantSound()

			a.Must(a.Client.Doc(edge).Set(t.Context(), fields))
			a.Unfollow("r1", "author")
			follow("r1")
			a.WantTold(edge)
			a.RepairDamaged()
			a.WantSound()
			a.WantGone("r1")
		})
	}
}

// Many events of one author share transactions. A damaged edge among them
// fails no other event.
func TestDamagedEdgeAffectsNoOtherFollower(t *testing.T) {
	t.Parallel()
	a, log := testkit.NewLoggedApp(t, schema.Config{NoOwnPosts: true, Capacity: 5})
	a.Post("p1", "author", stories.Day)
	for n := range 12 {
		a.Follow(fmt.Sprintf("r%d", n), "author")
	}
	a.Settle()
	a.Damage("users/r3/following/author", map[string]any{"indexId": 7})
	a.Damage("users/r4/following/author", map[string]any{"indexId": "a/b"})
	for n := range 12 {
		if n%2 == 0 {
			a.Follow(fmt.Sprintf("new%d", n), "author")
		}
		a.Unfollow(fmt.Sprintf("r%d", n), "author")
	}
	a.Settle()
	a.WantFeed("new2", "p1")
	a.WantTold("users/r3/following/author", "users/r4/following/author")
	a.RepairDamaged()
	a.WantVerified()
	a.WantGone("r3")
	if got := log.String(); strings.Contains(got, `"outcome":"dropped"`) || strings.Contains(got, `"outcome":"failed"`) || strings.Count(got, `"job failed"`) != 2 {
		t.Errorf("the log says: %s", got)
	}
}

// A damaged index document fails only the events of followers who must leave it, with
// ErrDamaged. Followers who leave another document, or join, are handled, even if the
// latest document is damaged.
func TestDamagedIndexDocumentBlocksOnlyItsLeavers(t *testing.T) {
	t.Parallel()
	for _, damaged := range []string{"00002", "00006"} { // r02 and r03; r10 and r11, the latest
		t.Run(damaged, func(t *testing.T) {
			t.Parallel()
			a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true})
			held := map[string][]string{"00002": {"r02", "r03"}, "00006": {"r10", "r11"}}[damaged]
			a.Must(a.Client.Doc("users/author/followers_index/"+damaged).Set(t.Context(), testkit.BeyondRepair))
			var concerned []string
			for n := range 12 {
				f := fmt.Sprintf("r%02d", n)
				a.Unfollow(f, "author")
				a.Follow("new"+f, "author")
				concerned = append(concerned, f, "new"+f)
			}
			x := a.Instance()
			events := func() map[string]error {
				var mu sync.Mutex
				ended := map[string]error{}
				var all sync.WaitGroup
				for _, f := range concerned {
					all.Go(func() {
						err := x.Graph.Follow(t.Context(), "author", f)
						mu.Lock()
						defer mu.Unlock()
						ended[f] = err
					})
				}
				all.Wait()
				return ended
			}
			for f, err := range events() {
				if !slices.Contains(held, f) && err != nil {
					t.Errorf("the event of %s, whose documents are sound, ends with %v", f, err)
				}
				if slices.Contains(held, f) && (!errors.Is(err, schema.ErrDamaged) || errors.Is(err, schema.ErrBadDocument)) {
					t.Errorf("the event of %s, who has to leave the damaged document, ends with %v", f, err)
				}
			}
			for _, f := range concerned {
				if strings.HasPrefix(f, "new") {
					a.WantFeed(f, "p1", "p0")
				} else if !slices.Contains(held, f) {
					a.WantFeed(f)
				}
			}
			if got := a.Data("users/author/followers_index/" + damaged)["followers"]; got != "x" {
				t.Errorf("followers are %v, want them left to repair", got)
			}
			if job := a.Job("index:author:" + damaged); job.State != chunker.Queued || job.Owner == "" {
				t.Errorf("the job is %s, and takes the turns of %q; want it queued, in its author's", job.State, job.Owner)
			}

			w := a.Worker(0)
			if job := w.Until(a, "index:author:"+damaged); job.State != chunker.Failed || !strings.Contains(job.Error.Message, "relationindex repair") {
				t.Errorf("the job is %s, with the error %+v; want it failed", job.State, job.Error)
			}
			for range 2 { // the events come again, twice
				for f, err := range events() {
					if err != nil {
						t.Errorf("after the job has failed, the event of %s ends with %v", f, err)
					}
				}
			}
			if leaving := strings.Split(a.Job("index:author:" + damaged).Args[schema.ArgLeaving], "/"); !slices.Equal(slices.Sorted(slices.Values(leaving)), held) {
				t.Errorf("the job says that %q wait to leave, want %q", leaving, held)
			}
			a.RepairDamaged()
			if err := a.Worker(time.Hour).Finish(a); err != nil {
				t.Error(err)
			}
			a.WantVerified()
		})
	}
}

// Jobs repair the index documents whose followers can be read, during follows, unfollows
// and posts.
func TestDamagedIndexDocumentIsRepairedDuringEvents(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 3, InlineLimit: 2, Chunk: 2})
	for n := range 9 {
		a.Follow(fmt.Sprintf("r%d", n), "author")
	}
	for n := range 3 {
		a.Post(fmt.Sprintf("p%d", n), "author", stories.Day.Add(time.Duration(n)*time.Hour))
	}
	a.Settle()
	for i, fields := range map[string]map[string]any{
		"00001": testkit.Mendable,
		"00002": {"version": "7", "sizeBytes": nil, "backfilled": 3},
		"00003": {"changes": "none", "count": []string{}},
	} {
		a.Damage("users/author/followers_index/"+i, fields)
	}
	var clients sync.WaitGroup
	for lane := range 3 {
		clients.Go(func() {
			for n := lane; n < 9; n += 3 {
				a.Follow(fmt.Sprintf("new%d", n), "author")
				if n%2 == 0 {
					a.Unfollow(fmt.Sprintf("r%d", n), "author")
				}
				if n%4 == 0 {
					a.Post(fmt.Sprintf("late%d", n), "author", stories.Day.Add(-time.Duration(n+1)*time.Hour))
				}
			}
		})
	}
	clients.Wait()
	a.Settle()
	a.WantVerified()
	for _, f := range []string{"r1", "r3", "r7", "new0", "new8"} {
		a.WantFeed(f, "p2", "p1", "p0", "late0", "late4", "late8")
	}
}

// A post reaches the followers in sound index documents at once. It reaches those in
// damaged ones after a job or a repair has fixed them.
func TestFanoutSkipsDamagedIndexDocument(t *testing.T) {
	t.Parallel()
	const index = "users/author/followers_index/"
	for name, cfg := range map[string]schema.Config{
		"inline":    {NoOwnPosts: true},
		"as a job":  {NoOwnPosts: true, InlineLimit: 2, Chunk: 2},
		"in ranges": {NoOwnPosts: true, InlineLimit: 2, Chunk: 2, Range: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.DamagedApp(t, cfg)
			a.Damage(index+"00001", testkit.Mendable)
			a.Damage(index+"00003", map[string]any{"followers": "x"}) // which who reads no followers does not see
			a.Post("p2", "author", stories.Day.Add(2*time.Hour))
			if err := a.Instance().Deliveries.Post(t.Context(), "p2"); err != nil {
				t.Errorf("the event of the post ends with %v", err)
			}
			w := a.Worker(0)
			if name != "inline" {
				if job := w.Until(a, "post:p2~00001-"+map[bool]string{true: "00002"}[cfg.Range > 0]); job.State != chunker.Done {
					t.Errorf("the post's job is %s: %+v", job.State, job.Error)
				}
			}
			if job := w.Until(a, "index:author:00001"); job.State != chunker.Done {
				t.Errorf("the job that mends the document is %s: %+v", job.State, job.Error)
			}
			if job := w.Until(a, "index:author:00003"); job.State != chunker.Failed || job.Error == nil || !strings.Contains(job.Error.Message, "relationindex repair") {
				t.Errorf("the job that cannot mend the document is %s: %+v", job.State, job.Error)
			}
			if got := a.Data(index + "00003")["followers"]; got != "x" {
				t.Errorf("followers are %v, want them left to repair", got)
			}
			for n := range 12 {
				if n == 4 || n == 5 {
					a.WantFeed(fmt.Sprintf("r%02d", n), "p1", "p0")
				} else {
					a.WantFeed(fmt.Sprintf("r%02d", n), "p2", "p1", "p0")
				}
			}
			named := slices.ContainsFunc(a.Violations(), func(v verify.Violation) bool {
				return v.Document == index+"00003" && strings.Contains(v.Problem, "not an index document")
			})
			if !named {
				t.Error("verify does not name the damaged document")
			}
			a.Repair("")
			a.WantFeed("r04", "p2", "p1", "p0")
			if err := a.Worker(time.Hour).Finish(a); err != nil {
				t.Error(err)
			}
			a.WantVerified()
		})
	}
}

// A page continues past a damaged index document only if nothing else is wrong. Any other
// error fails the page, which is then retried.
func TestPagePastDamagedIndexDocumentReturnsOtherErrors(t *testing.T) {
	t.Parallel()
	const index = "users/author/followers_index/"
	refusedCommit := func(match func(any) bool) wire.Interceptor {
		return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if match(req) {
				return status.Error(codes.PermissionDenied, "not this one")
			}
			return invoke(ctx, method, req, reply, cc, opts...)
		}}
	}
	for name, c := range map[string]struct {
		also func(a *testkit.App)
		fail wire.Interceptor
		want string
	}{
		"a relation cannot be written": {
			func(*testkit.App) {}, refusedCommit(testkit.CommitOf("_relations/")), "not this one",
		},
		"an old relation cannot be deleted": {
			func(a *testkit.App) {
				a.Must(a.Client.Doc("_relations/p2_00009").Set(t.Context(), map[string]any{"postId": "p2", "userId": "other", "indexId": "00009", "createdAt": stories.Day}))
			}, refusedCommit(testkit.DeleteOf("_relations/p2_00009")), "not this one",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.DamagedApp(t, schema.Config{NoOwnPosts: true, InlineLimit: 2})
			a.Damage(index+"00001", testkit.Mendable)
			a.Post("p2", "author", stories.Day.Add(2*time.Hour))
			if err := a.Instance().Deliveries.Post(t.Context(), "p2"); err != nil {
				t.Fatal(err)
			}
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
		if err := do(a.Instance(meter.Interceptor())); err != nil {
			t.Error(err)
		}
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
		if err := adopt(); err != nil {
			t.Error(err)
		}
		a.WantVerified()
	})
}

// A full index document that reports room is filled only until it is read whole: then a
// job recounts it.
func TestMiscountedIndexDocumentIsRecounted(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	const index = "users/author/followers_index/00001" // r1 and r2: full
	a.Damage(index, map[string]any{"count": 0, "sizeBytes": 0})
	a.Damage("users/author", map[string]any{"latestFollowersIndex": "00001"})
	a.Post("p2", "author", stories.Day)
	if err := a.Instance().Deliveries.Post(t.Context(), "p2"); err != nil {
		t.Fatal(err)
	}
	if err := a.Worker(0).Finish(a); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		f := fmt.Sprintf("new%d", n)
		a.Follow(f, "author")
		a.FollowEvents(a.Instance(), [2]string{"author", f})
	}
	if got := a.Data(index)["followers"].([]any); len(got) != 2 {
		t.Errorf("it holds %v, and has a capacity of 2", got)
	}
	a.WantVerified()
}
