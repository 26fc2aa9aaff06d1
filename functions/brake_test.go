package functions_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/chunker"
	"example.com/relationindex/functions"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// looking is a process that has just looked at the brake.
func (a *app) looking() testkit.Worker {
	a.T.Helper()
	w := a.Worker(0)
	a.OK(w.Index.DB.LookAtBrake(a.T.Context()))
	return w
}

func (a *app) brake(on bool) {
	a.T.Helper()
	if ref := schema.BrakeDocument(a.Client); on {
		a.Must(ref.Create(a.T.Context(), map[string]any{}))
	} else {
		a.Must(ref.Delete(a.T.Context()))
	}
}

// work runs the steps that are due.
func work(w testkit.Worker, a *app) {
	a.T.Helper()
	for ran := true; ran; {
		jobs, err := w.Unfinished(a.T.Context(), 100)
		a.OK(err)
		ran = false
		for _, job := range jobs {
			if w.Concerns(job) {
				ran = true
				a.OK(w.Run(a.T.Context(), job.ID, chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil)))
			}
		}
	}
}

// posts handles events of posts, and follows those of follows of ada, with the jobs that come of them.
func posts(w testkit.Worker, a *app, posts ...string) {
	a.T.Helper()
	for _, p := range posts {
		a.OK(w.Index.Deliveries.Post(a.T.Context(), p))
	}
	work(w, a)
}

func follows(w testkit.Worker, a *app, followers ...string) {
	a.T.Helper()
	for _, f := range followers {
		a.OK(w.Index.Graph.Follow(a.T.Context(), "ada", f))
	}
	work(w, a)
}

// waiting returns how many jobs wait.
func waiting(w testkit.Worker, a *app) int {
	a.T.Helper()
	docs, err := w.Waiting().Documents(a.T.Context()).GetAll()
	a.OK(err)
	return len(docs)
}

// released has a process that knows that the brake is off do what waits.
func (a *app) released() {
	a.T.Helper()
	a.brake(false)
	w := a.looking()
	waiting := waiting(w, a)
	swept, err := w.Sweep(a.T.Context(), chunker.NewBudget(a.T.Context(), time.Now(), time.Minute, 0, nil))
	if a.OK(err); waiting == 0 || swept.Woken != waiting {
		a.T.Errorf("%d jobs wait, and Sweep queues %d", waiting, swept.Woken)
	}
	work(w, a)
	left, err := w.Unfinished(a.T.Context(), 10)
	if a.OK(err); len(left) > 0 {
		a.T.Errorf("jobs are left: %+v", left)
	}
	a.WantVerified()
	if w.Index.Timelines == nil {
		return
	}
	_, err = entries.Check(a.T.Context(), w.Index.Timelines, entries.Options{Report: func(p entries.Problem) { a.T.Errorf("%v", p) }})
	a.OK(err)
}

// While the brake is on, posts reach no further readers, and removals are applied. When it is off, all
// posts arrive. Both hold for handlers and for jobs.
func TestBrakeDelaysAdditionsAndNotRemovals(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"relations": {NoOwnPosts: true},
		"items":     {NoOwnPosts: true, Feeds: []string{"items"}, Backfill: 10},
		"buckets":   {NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 2, Backfill: 10},
		"days":      {NoOwnPosts: true, Feeds: []string{"relations", "days"}, Backfill: 10},
	} {
		for how, inline := range map[string]int{"handlers": 100, "jobs": 1} {
			cfg := cfg
			cfg.Capacity, cfg.Chunk, cfg.InlineLimit = 2, 2, inline
			t.Run(name+" by "+how, func(t *testing.T) {
				t.Parallel()
				a := openApp(t, cfg)
				want := func(reader string, posts ...string) {
					t.Helper()
					if cfg.Timeline() != "" {
						a.WantTimeline(reader, posts...)
					}
					if cfg.Relations() {
						a.WantFeed(reader, posts...)
					}
				}
				now := time.Now()
				ago := func(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }
				testkit.Profiles(t, a.Client, "named")
				w := a.looking()
				for n := range 3 {
					a.FollowSince(fmt.Sprint("r", n+1), "ada", ago(60))
				}
				follows(w, a, "r1", "r2", "r3")
				a.PostTo("p0", "ada", "ada", ago(30))
				a.PostTo("p1", "ada", "ada", ago(29))
				posts(w, a, "p0", "p1")
				want("r1", "p1", "p0")

				a.brake(true)
				w = a.looking()
				a.PostTo("p2", "ada", "ada", ago(20), "named")
				posts(w, a, "p2", "p2")
				want("r1", "p1", "p0")
				want("named")
				a.DeletePost("p0")
				posts(w, a, "p0")
				want("r1", "p1")
				a.Unfollow("r2", "ada")
				follows(w, a, "r2")
				want("r2")
				a.Edit("p1", firestore.Update{Path: "hidden", Value: true})
				posts(w, a, "p1")
				want("r3")
				a.Edit("p1", firestore.Update{Path: "hidden", Value: false})
				a.FollowSince("r4", "ada", ago(10))
				posts(w, a, "p1")
				follows(w, a, "r4")
				for _, reader := range []string{"r1", "r3", "r4", "named"} {
					want(reader)
				}

				a.released()
				for _, reader := range []string{"r1", "r3", "r4"} {
					want(reader, "p2", "p1")
				}
				want("named", "p2")
				want("r2")
			})
		}
	}
}

// The backfill of a new index document waits for the brake. Unfollows are applied meanwhile.
func TestBrakeDelaysBackfillAndNotUnfollows(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Capacity: 1})
	a.Post("p1", "ada", day)
	a.Follow("r1", "ada")
	w := a.looking()
	follows(w, a, "r1")
	a.WantFeed("r1", "p1")

	a.brake(true)
	w = a.looking()
	for _, reader := range []string{"r2", "r3"} {
		a.Follow(reader, "ada")
	}
	follows(w, a, "r2", "r3")
	a.WantFeed("r2")
	for _, reader := range []string{"r1", "r3"} {
		a.Unfollow(reader, "ada")
	}
	follows(w, a, "r1", "r3")
	a.WantFeed("r1")
	for _, v := range a.Violations() {
		if v.Follower != "" {
			t.Errorf("who leaves does not leave: %v", v)
		}
	}

	a.released()
	a.WantFeed("r2", "p1")
	a.WantFeed("r3")
}

// While the brake is on, a removed recipient loses the post at once, a remaining one keeps it, and a new one waits.
func TestBrakeDelaysNewRecipientsAndNotRemovals(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	a.PostTo("p1", "ada", "", day, "r1", "r2")
	posts(a.looking(), a, "p1")
	a.WantFeed("r1", "p1")
	a.brake(true)
	a.PostTo("p1", "ada", "", day, "r2", "r3")
	posts(a.looking(), a, "p1")
	a.WantFeed("r1")
	a.WantFeed("r2", "p1")
	a.WantFeed("r3")
	a.released()
	a.WantFeed("r1")
	a.WantFeed("r2", "p1")
	a.WantFeed("r3", "p1")
}

// A process reads the brake at most once in [schema.BrakeTTL], outside of the runs of events.
func TestFunctionsReadBrakeOncePerTTL(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	a.brake(true)
	meter := &wire.Meter{}
	cfg := a.Config
	cfg.Project, cfg.Logger = a.ID, logging.New(t.Output(), a.Config.LogLevel)
	h, err := functions.New(testkit.Open(t, a.ID, meter.Interceptor()), cfg)
	a.OK(err)
	a.OK(h.Ready(t.Context(), "OnPostWritten"))
	before := meter.Counts()
	for _, name := range triggers.Names() {
		if name != triggers.Feed {
			a.OK(h.Ready(t.Context(), name))
		}
	}
	if used := meter.Counts().Minus(before); used.Reads > 0 {
		t.Errorf("the next events cost %v", used)
	}
	w := a.looking()
	if !w.Index.DB.Braked() || w.Index.DB.Unbraked() {
		t.Error("the brake is not found on")
	}
	if x := a.Instance().DB; x.Braked() || x.Unbraked() {
		t.Error("a process that has not looked knows something of the brake")
	}
}

// While the brake is on, nobody is told of a post that names them; when it is off, each is told once, also if the event came twice.
// A post that waits for its author's hour waits for the brake too.
func TestBrakeHoldsMentionsBack(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Notifications: true, Feeds: []string{"items"}})
	a.Profile("bob", map[string]any{"name": "Bob"})
	a.brake(true)
	h := a.hourly(1)
	a.OK(h.LookAtBrake(t.Context()))
	fields := map[string]any{"userId": "ada", "audience": "", "to": []string{"bob"}}
	for _, p := range []string{"p", "p", "q"} { // beyond the hour from the second on
		a.PostTo(p, "ada", "", time.Now(), "bob")
		h.changes("OnPostWritten", "posts/"+p, nil, fields)
	}
	h.ran()
	if told, entries := a.Count("users/bob/notifications"), a.Count("users/bob/timeline"); told+entries > 0 {
		t.Errorf("with the brake on, Bob has %d notifications and %d entries", told, entries)
	}
	a.brake(false)
	h = a.hourly(0)
	a.OK(h.LookAtBrake(t.Context()))
	for _, job := range a.unfinished() {
		if job.Kind == schema.KindLater {
			a.OK(h.RunLater(t.Context(), job))
		}
	}
	if told, entries := a.Count("users/bob/notifications"), a.Count("users/bob/timeline"); told != 1 || entries != 2 {
		t.Errorf("with the brake off, Bob has %d notifications and %d entries, want one for both posts, and 2", told, entries)
	}
}

func (a *app) unfinished() []chunker.Job {
	a.T.Helper()
	jobs, err := a.Instance().Engine.Unfinished(a.T.Context(), 100)
	a.OK(err)
	return jobs
}
