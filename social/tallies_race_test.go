package social_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/tallies"
	"example.com/relationindex/testkit"
)

// begin calls do, and returns a function that waits for its end.
func (a app) begin(do func() error) (end func()) {
	done := make(chan error, 1)
	go func() { done <- do() }()
	return func() {
		a.T.Helper()
		if err := <-done; err != nil {
			a.T.Error(err)
		}
	}
}

// liked is the event of a like of p, in a process.
func (a app) liked(x *tallies.Tallies) func() error {
	return func() error { return x.Liked(a.T.Context(), "p") }
}

// A process counts, and writes late. Writes of others meanwhile stay correct, even if the number is the same as
// before and no write shows the late process that its count is old.
func TestLateCountDoesNotOverwriteNewerCount(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(app){
		"another number": func(a app) { a.like("p", "l4") },
		"the number that was stored": func(a app) {
			a.like("p", "l3")
		},
		"none": func(a app) {
			a.drop("posts/p/likes/l1")
			a.drop("posts/p/likes/l2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := openApp(t, "eve")
			a.post("p", "eve", "")
			a.like("p", "l1", "l2", "l3")
			quick := a.Instance().Tallies
			a.begin(a.liked(quick))()
			a.drop("posts/p/likes/l3")
			gate := testkit.NewGate(t, testkit.CommitOf("posts/p"))
			late := a.begin(a.liked(a.Instance(gate.Interceptor()).Tallies)) // counts 2
			gate.Await()
			meanwhile(a)
			a.begin(a.liked(quick))()
			gate.Open()
			late()
			want := int64(a.Count("posts/p/likes"))
			counts := map[string]int64{"likes": want}
			if want == 0 {
				counts = map[string]int64{}
			}
			a.wantCounts("posts/p", counts)
			a.WantVerified()
		})
	}
}

// The same for a notification.
func TestLateNotificationDoesNotOverwriteNewerOne(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.post("p", "eve", "")
	a.like("p", "l1", "l2")
	quick := a.Instance().Tallies
	a.begin(a.liked(quick))()
	a.like("p", "l3")
	gate := testkit.NewGate(t, testkit.CommitOf("users/eve/notifications"))
	late := a.begin(a.liked(a.Instance(gate.Interceptor()).Tallies))
	gate.Await()
	a.drop("posts/p/likes/l3")
	a.begin(a.liked(quick))() // finds what is stored
	gate.Open()
	late()
	a.wantNotes("eve", map[string]note{"like.p": {2, []string{"l2", "l1"}}})
	a.WantVerified()
}

// An event that arrives during a count waits for a count that begins later.
func TestEventDuringCountWaitsForNextCount(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.post("p", "eve", "")
	a.like("p", "l1")
	var counts atomic.Int64
	gate := testkit.NewGate(t, func(req any) bool {
		_, counts1 := req.(*pb.RunAggregationQueryRequest)
		if counts1 {
			counts.Add(1)
		}
		return counts1
	})
	x := a.Instance(gate.Interceptor()).Tallies
	likes := func() error { return x.Tally(t.Context(), tallies.Likes("p")) }
	first := a.begin(likes)
	gate.Await()
	a.like("p", "l2")
	var others []func()
	for range 10 {
		others = append(others, a.begin(likes))
	}
	gate.Open()
	first()
	for _, end := range others {
		end()
	}
	a.wantCounts("posts/p", map[string]int64{"likes": 2})
	if n := counts.Load(); n < 3 || n > 4 { // two of the first, and one that the others share, unless one of them came late
		t.Errorf("%d counts for two likes and eleven events", n)
	}
}

// The account is deleted and purged while a process is about to write it a notification of a like.
func TestNotificationDuringPurgeLeavesNothing(t *testing.T) {
	t.Parallel()
	cfg := both()
	cfg.KeepPosts = true // or else the like would have nobody to tell
	a := app{testkit.OpenApp(t, cfg)}
	a.profiles("eve")
	a.post("p", "eve", "")
	a.like("p", "l1")
	gate := testkit.NewGate(t, begins)
	late := a.begin(func() error {
		return a.Instance(gate.Interceptor()).Tallies.Tally(t.Context(), tallies.Notification("eve", tallies.Like, "p"))
	})
	gate.Await()
	a.DeleteAccount("eve")
	a.Must(nil, a.Worker(0).Purge(a.App, "eve"))
	gate.Open()
	late()
	a.wantNotes("eve", map[string]note{})
}

// begins matches the beginning of a transaction: a count is done, and is about to be written.
func begins(req any) bool {
	_, is := req.(*pb.BeginTransactionRequest)
	return is
}

// A large number is counted by one job. It begins a minute later and covers all events until then. Events that
// arrive while it runs make it run again.
func TestLargeCountRunsAsOneJob(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.set("posts/p", map[string]any{"userId": "eve", "audience": "", "hidden": false, "createdAt": time.Now(), "counts": map[string]any{"likes": 20_000}})
	a.set("users/eve/notifications/like.p", map[string]any{"verb": "like", "object": "p", "count": 20_000})
	a.like("p", "l1", "l2")
	for range 3 {
		a.begin(a.liked(a.Instance().Tallies))()
	}
	a.wantCounts("posts/p", map[string]int64{"likes": 20_000})
	w := a.Worker(0)
	jobs, err := w.Unfinished(t.Context(), 10)
	if err != nil || len(jobs) != 2 {
		t.Fatalf("the jobs are %+v, %v; want one for each", jobs, err)
	}
	for _, job := range jobs {
		if job.At == nil || time.Until(*job.At) < 50*time.Second || job.Hop != 1 {
			t.Errorf("the job %+v begins too early, or was queued twice", job)
		}
		w.Step(a.App, job.ID)
	}
	a.wantCounts("posts/p", map[string]int64{"likes": 20_000}) // it is too early
	if err := a.Worker(2 * time.Minute).Finish(a.App); err != nil {
		t.Fatal(err)
	}
	a.wantCounts("posts/p", map[string]int64{"likes": 2})
	a.wantNotes("eve", map[string]note{"like.p": {2, []string{"l2", "l1"}}})
	if n := a.Count("_functions"); n != 2 {
		t.Errorf("%d jobs are left, want two that are done", n)
	}
	a.WantVerified()
}

// The job of a large number counts once. An act during that count makes it run again.
func TestActDuringLargeCountMakesJobRunAgain(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.Config.Notifications = false
	a.set("posts/p", map[string]any{"userId": "eve", "createdAt": time.Now(), "counts": map[string]any{"likes": 20_000}})
	a.like("p", "l1")
	a.begin(a.liked(a.Instance().Tallies))()
	jobs, err := a.Worker(0).Unfinished(t.Context(), 2)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("the jobs are %+v, %v; want one", jobs, err)
	}
	gate := testkit.NewGate(t, begins)
	w := a.Worker(2*time.Minute, gate.Interceptor())
	counts := a.begin(func() error { w.Step(a.App, jobs[0].ID); return nil })
	gate.Await()
	a.like("p", "l2")
	a.begin(a.liked(a.Instance().Tallies))()
	gate.Open()
	counts()
	a.wantCounts("posts/p", map[string]int64{"likes": 1})
	a.OK(a.Worker(time.Hour).Finish(a.App))
	a.wantCounts("posts/p", map[string]int64{"likes": 2})
}

// counted replaces the answers of counts of likes, and notes how many there were.
type counted struct {
	grpc.ClientStream
	answers, likes *atomic.Int64
}

func (s counted) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if r, is := m.(*pb.RunAggregationQueryResponse); err == nil && is {
		for _, v := range r.GetResult().GetAggregateFields() {
			v.ValueType = &pb.Value_IntegerValue{IntegerValue: s.likes.Load()}
			s.answers.Add(1)
		}
	}
	return err
}

// Acts on a large subject, one in a few minutes: the counts of each subject cost a bounded number of reads an hour.
func TestSlowTailOfLargeSubjectCostsFewReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		likes       int64
		every       time.Duration
		most, hours int64 // reads an hour of the number and the notification; hours until both are right
	}{
		{50_000, time.Minute, 2 * 60 * (50 + 25), 1},
		{1_000_000, 5 * time.Minute, 2 * 7 * (1_000 + 25), 1},
		{20_000_000, 5 * time.Minute, 2 * 2 * (20_000 + 25), 2},
	} {
		t.Run(fmt.Sprint(c.likes), func(t *testing.T) {
			t.Parallel()
			a := openApp(t, "eve")
			a.set("posts/p", map[string]any{"userId": "eve", "audience": "", "hidden": false, "createdAt": time.Now(), "counts": map[string]any{"likes": c.likes}})
			a.set("users/eve/notifications/like.p", map[string]any{"verb": "like", "object": "p", "count": c.likes})
			var meter wire.Meter
			var answers, likes, ahead atomic.Int64
			likes.Store(c.likes)
			client, err := local.Open(t.Context(), a.ID, testkit.Machine(t).Emulator.FirestoreHost(), meter.Interceptor(), wire.Interceptor{
				Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
					s, err := open(ctx, desc, cc, method, opts...)
					return counted{s, &answers, &likes}, err
				},
			})
			a.OK(err)
			start := time.Now()
			engine := chunker.New(client, chunker.Options{Now: func() time.Time { return start.Add(time.Duration(ahead.Load())) }})
			system, err := social.New(client, engine, a.Config)
			a.OK(err)
			pass := func(do ...func() error) {
				ahead.Add(int64(c.every))
				for _, do := range do {
					a.OK(do())
				}
				budget := chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil)
				_, err := engine.Sweep(t.Context(), budget)
				a.OK(err)
				jobs, err := engine.Unfinished(t.Context(), 10)
				a.OK(err)
				for _, job := range jobs {
					a.OK(engine.Run(t.Context(), job.ID, budget))
				}
			}
			for range time.Hour / c.every {
				pass(func() error {
					likes.Add(1)
					a.like("p", fmt.Sprint("l", likes.Load()))
					return system.Tallies.Liked(t.Context(), "p")
				})
			}
			reads := meter.Counts().Reads + answers.Load()*(c.likes/1_000-1)
			t.Logf("%d likes: %d reads for an hour, one like each %v, with %d counts", c.likes, reads, c.every, answers.Load())
			if reads > c.most {
				t.Errorf("it costs %d reads, want at most %d", reads, c.most)
			}
			for range c.hours * 12 {
				ahead.Add(int64(5*time.Minute - c.every))
				pass()
			}
			a.wantCounts("posts/p", map[string]int64{"likes": likes.Load()})
			if got := a.Data("users/eve/notifications/like.p")["count"]; got != likes.Load() {
				t.Errorf("the notification's count is %v, want %d", got, likes.Load())
			}
		})
	}
}

// The job of a deleted post ends with it. The job of an account is deleted by its purge.
func TestTallyJobsEndWithPostAndAccount(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.set("users/eve", map[string]any{"name": "eve", "counts": map[string]any{"posts": 20_000}})
	a.set("posts/p", map[string]any{"userId": "eve", "createdAt": time.Now(), "counts": map[string]any{"comments": 20_000}})
	x := a.Instance().Tallies
	a.begin(func() error { return x.Tally(t.Context(), tallies.Comments("p"), tallies.Posts("eve")) })()
	if n := a.Count("_functions"); n != 2 {
		t.Fatalf("%d jobs, want two", n)
	}
	a.DeletePost("p")
	a.DeleteAccount("eve")
	w := a.Worker(time.Hour)
	a.Must(nil, w.Purge(a.App, "eve"))
	a.WantGone("eve")
	if jobs, err := w.Named(t.Context(), "tally:", 10); err != nil || len(jobs) != 0 {
		t.Errorf("the jobs %+v are left, %v", jobs, err)
	}
}

// A subject that changes with each count is left to its job, which takes what has come since.
func TestSubjectThatNeverSettles(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.post("p", "eve", "")
	var n atomic.Int64
	restless := wire.Interceptor{Stream: before(func(req any) {
		if _, counts := req.(*pb.RunAggregationQueryRequest); counts && n.Load() < 7 {
			a.like("p", fmt.Sprint("l", n.Add(1)))
		}
	})}
	x := a.Instance(restless).Tallies
	a.begin(func() error { return x.Tally(t.Context(), tallies.Likes("p")) })()
	if jobs, err := a.Worker(0).Unfinished(t.Context(), 10); err != nil || len(jobs) != 1 || jobs[0].State != chunker.Queued {
		t.Fatalf("the jobs are %+v, %v; want one", jobs, err)
	}
	if err := a.Worker(2 * time.Minute).Finish(a.App); err != nil {
		t.Fatal(err)
	}
	a.wantCounts("posts/p", map[string]int64{"likes": n.Load()})
}

// Features that are off in the configuration are neither counted nor read.
func TestDisabledFeaturesCostNothing(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.post("p", "eve", "")
	a.like("p", "l1")
	for _, cfg := range []schema.Config{{}, {Notifications: true}} {
		var meter wire.Meter
		x := testkit.Index(t, a.ID, cfg, meter.Interceptor()).Tallies
		a.begin(func() error {
			return x.Tally(t.Context(), tallies.Likes("p"), tallies.Notification("..", tallies.Like, "p"))
		})()
		if used := meter.Counts(); used.Requests > 0 {
			t.Errorf("with %+v it cost %v", cfg, used)
		}
	}
}

// Counts may be turned on in a database with many documents: a handler leaves a large count to the job, at a bounded cost.
func TestFirstLargeCountIsLeftToJob(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.post("p", "eve", "")
	const many = 10_001
	paths := make([]string, many)
	for n := range paths {
		paths[n] = fmt.Sprintf("posts/p/likes/u%05d", n)
	}
	a.OK(testkit.WriteEach(t.Context(), a.Client, paths, func(w *firestore.BulkWriter, path string) (*firestore.BulkWriterJob, error) {
		return w.Set(a.Client.Doc(path), map[string]any{"userId": a.Client.Doc(path).ID, "postId": "p", "createdAt": time.Now()})
	}))
	var meter wire.Meter
	a.begin(a.liked(a.Instance(meter.Interceptor()).Tallies))()
	a.wantCounts("posts/p", map[string]int64{})
	if used := meter.Counts(); used.Reads > 40 {
		t.Errorf("the first like costs %v", used)
	}
	if err := a.Worker(2 * time.Minute).Finish(a.App); err != nil {
		t.Fatal(err)
	}
	a.wantCounts("posts/p", map[string]int64{"likes": many})
	a.WantVerified()
}
