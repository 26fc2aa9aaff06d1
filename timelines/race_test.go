package timelines_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// Each race of two reconcilers, forced in both orders by holding one side at the wire.

// A page of a fan-out goes on after its lease was taken. Meanwhile its twin has written the
// entry, and open was closed twice, or so often that only a query finds the entry.
func TestRaceLatePageAndClosedBuckets(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]func(any) bool{
		"before it reads the post": readOf("posts/p1"),
		"before it commits":        commitOf("users/r1/timeline/open"),
	} {
		for _, closed := range []int{2, 5} {
			t.Run(fmt.Sprintf("%s, closed %d times", name, closed), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, ones)
				w.joins("r1")
				w.post("p0")
				w.write("p1")
				g := testkit.NewGate(t, held)
				want := []string{"p1", "p0"}
				w.must(w.beside(g, w.event(w.open(g.Interceptor()), "p1"), func() {
					w.must(w.event(w.process, "p1")())
					for n := range closed {
						w.post(fmt.Sprint("q", n))
						want = append([]string{fmt.Sprint("q", n)}, want...)
					}
				}))
				w.wantFeed("r1", want...)
			})
		}
	}
}

// The answer of a commit is lost. The event comes again, also after open was closed.
func TestAnswerLostAfterTheCommit(t *testing.T) {
	t.Parallel()
	for name, opts := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.joins("r1")
			w.post("p0")
			w.write("p1")
			p := w.open(lost(isTimelineCommit))
			if err := w.event(p, "p1")(); err == nil {
				t.Fatal("no answer was lost")
			}
			w.post("p2")
			w.post("p3")
			w.must(w.event(p, "p1")())
			w.wantFeed("r1", "p3", "p2", "p1", "p0")
		})
	}
}

// Two fan-outs write to one reader.
func TestRaceTwoFanOuts(t *testing.T) {
	t.Parallel()
	for name, opts := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			for _, r := range []string{"r1", "r2", "r3"} {
				w.joins(r)
			}
			w.post("p0")
			w.write("p1")
			w.write("p2")
			g := testkit.NewGate(t, isTimelineCommit)
			w.must(w.beside(g, w.event(w.open(g.Interceptor()), "p1"), func() { w.must(w.event(w.process, "p2")()) }))
			want := []string{"p2", "p1", "p0"}
			for _, r := range []string{"r1", "r2", "r3"} {
				w.wantFeed(r, want...)
			}
		})
	}
}

// A fan-out, and the deletion of the post.
func TestRaceFanOutAndDeletion(t *testing.T) {
	t.Parallel()
	for name, opts := range layouts {
		t.Run(name+", the deletion first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.joins("r1")
			w.write("p1")
			g := testkit.NewGate(t, readOf("posts/p1"))
			w.must(w.beside(g, w.event(w.open(g.Interceptor()), "p1"), func() {
				w.remove("posts/p1")
				w.must(w.event(w.process, "p1")())
			}))
			w.wantFeed("r1")
		})
		t.Run(name+", the fan-out first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.joins("r1")
			w.write("p1")
			g := testkit.NewGate(t, isTimelineCommit)
			deleted := make(chan error, 1)
			w.must(w.beside(g, w.event(w.open(g.Interceptor()), "p1"), func() {
				go func() { // it waits for the fan-out's lock
					_, err := w.client.Doc("posts/p1").Delete(t.Context())
					deleted <- err
				}()
			}))
			w.must(<-deleted)
			w.must(w.event(w.process, "p1")())
			w.wantFeed("r1")
		})
	}
}

// A fan-out, and an unfollow: they meet at the index document's version.
func TestRaceFanOutAndUnfollow(t *testing.T) {
	t.Parallel()
	for name, opts := range layouts {
		t.Run(name+", the unfollow first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.joins("r1")
			w.write("p1")
			g := testkit.NewGate(t, readOf("posts/p1"))
			w.must(w.beside(g, w.event(w.open(g.Interceptor()), "p1"), func() {
				w.leaves("r1")
			}))
			w.wantFeed("r1")
		})
		t.Run(name+", the fan-out first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.joins("r1")
			w.write("p1")
			g := testkit.NewGate(t, isTimelineCommit)
			members := testkit.NewGate(t, commitOf("users/r1/following/ada"))
			left := make(chan error, 1)
			w.must(w.beside(g, w.event(w.open(g.Interceptor()), "p1"), func() {
				w.remove("users/ada/followers/r1")
				go func() { left <- w.follow(w.open(members.Interceptor()), "r1")() }()
				members.Await()
				members.Open() // its commit waits for the fan-out's lock
			}))
			w.must(<-left)
			w.wantFeed("r1")
		})
	}
}

// A backfill, and an unfollow: they meet at the edge.
func TestRaceBackfillAndUnfollow(t *testing.T) {
	t.Parallel()
	for name, opts := range layouts {
		t.Run(name+", the unfollow first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.post("p1")
			w.follows("r1")
			g := testkit.NewGate(t, second(readOf("users/r1/following/ada"))) // the first is of members
			w.must(w.beside(g, w.follow(w.open(g.Interceptor()), "r1"), func() {
				w.leaves("r1")
			}))
			w.wantFeed("r1")
		})
		t.Run(name+", the backfill first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.post("p1")
			w.follows("r1")
			g := testkit.NewGate(t, isTimelineCommit)
			members := testkit.NewGate(t, readOf("users/r1/following/ada"))
			left := make(chan error, 1)
			w.must(w.beside(g, w.follow(w.open(g.Interceptor()), "r1"), func() {
				w.remove("users/ada/followers/r1")
				go func() { left <- w.follow(w.open(members.Interceptor()), "r1")() }()
				members.Await()
				members.Open() // it waits for the backfill's lock
			}))
			w.must(<-left)
			w.wantFeed("r1")
		})
	}
}

// A removal, and a new follow: they meet at the edge.
func TestRaceRemovalAndFollow(t *testing.T) {
	t.Parallel()
	for name, opts := range layouts {
		t.Run(name+", the follow first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.joins("r1")
			w.post("p1")
			w.post("p2")
			w.remove("users/ada/followers/r1")
			g := testkit.NewGate(t, second(readOf("users/r1/following/ada")))
			w.must(w.beside(g, w.follow(w.open(g.Interceptor()), "r1"), func() {
				w.joins("r1")
			}))
			w.wantFeed("r1", "p2", "p1")
		})
		t.Run(name+", the removal first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.joins("r1")
			w.post("p1")
			w.post("p2")
			w.remove("users/ada/followers/r1")
			g := testkit.NewGate(t, isTimelineCommit)
			members := testkit.NewGate(t, readOf("users/r1/following/ada"))
			back := make(chan error, 1)
			w.must(w.beside(g, w.follow(w.open(g.Interceptor()), "r1"), func() {
				w.follows("r1")
				go func() { back <- w.follow(w.open(members.Interceptor()), "r1")() }()
				members.Await()
				members.Open() // it waits for the removal's lock
			}))
			w.must(<-back)
			w.wantFeed("r1", "p2", "p1")
		})
	}
}

// A ring is closed over its oldest bucket, and loses entries, while somebody looks whether an entry is
// older than all that it keeps: what open said before must not leave the post out.
func TestRaceLeavingOutAndClosing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(1, 4)})
	w.joins("r1")
	w.post("p0")
	w.write("late")
	for n := range 4 {
		w.post(fmt.Sprint("p", n+1))
	}
	oldest := testkit.NewGate(t, func(req any) bool { // bucket 1 of a ring that has 5 open
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && get.GetTransaction() == nil && len(get.GetDocuments()) == 1 && strings.HasSuffix(get.GetDocuments()[0], "/timeline/past-00000001")
	})
	w.must(w.beside(oldest, w.event(w.open(oldest.Interceptor()), "late"), func() {
		w.post("p5") // the slot has bucket 5 now
		for _, p := range []string{"p5", "p4", "p3"} {
			w.remove("posts/" + p)
			w.must(w.d.Post(t.Context(), p))
		}
	}))
	w.wantFeed("r1", "p2", "p1", "late")
}

// Two late entries of one closed bucket, and one and the close of open, meet at open.
func TestRaceLateEntries(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]string{"another late one": "late2", "its twin": "late1", "one that closes": "p9"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(2, 0)})
			w.joins("r1")
			w.post("p0")
			w.write("late1")
			if other == "late2" {
				w.write(other)
			}
			for n := range 4 {
				w.post(fmt.Sprint("p", n+1))
			}
			if other == "p9" {
				w.write(other)
			}
			g := testkit.NewGate(t, isTimelineCommit)
			w.must(w.beside(g, w.event(w.open(g.Interceptor()), "late1"), func() { w.must(w.event(w.process, other)()) }))
			want := []string{"p4", "p3", "p2", "p1", "late1", "p0"}
			switch other {
			case "late2":
				want = slices.Insert(want, 4, "late2")
			case "p9":
				want = append([]string{"p9"}, want...)
			}
			w.wantFeed("r1", want...)
			w.must(w.event(w.process, "late1")())
			w.wantFeed("r1", want...)
			w.wantNoProblem()
		})
	}
}
