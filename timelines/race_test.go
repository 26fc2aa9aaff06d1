package timelines_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// The races that clients can start are in testkit/deliverytest.

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

// No fan-out reads up to where a reader has read. A client that writes it at each scroll waits for none, and has none
// try again.
func TestRaceFanOutAndReading(t *testing.T) {
	t.Parallel()
	for form, opts := range layouts {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.options = schema.Config{ReaderSettings: true, Idle: 24 * time.Hour}
			w.process = w.open()
			w.joins("r1")
			w.set("users/r1/settings/feed", map[string]any{"seenAt": time.Now()})
			w.post("p0")
			w.write("p1")
			var meter wire.Meter
			g := testkit.NewGate(t, isTimelineCommit)
			w.must(w.beside(g, w.event(w.open(meter.Interceptor(), g.Interceptor()), "p1"), func() {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a lock would last until they end
				defer cancel()
				for range 200 {
					_, err := w.d.Database().LastRead("r1").Set(ctx, map[string]any{"readAt": time.Now()})
					w.must(err)
				}
			}))
			if n := meter.Counts().Retries; n != 0 {
				t.Errorf("the fan-out has tried again %d times", n)
			}
			w.wantFeed("r1", "p1", "p0")
		})
	}
}

// A twin of a fan-out that commits after a comment lets the post stand where the comment put it.
func TestRaceFanOutAndLift(t *testing.T) {
	t.Parallel()
	const at = int64(5e15) // in the next century
	w := newWorld(t, timelines.Options{Layout: layout.Items{Ranked: true}})
	w.options = schema.Config{Feeds: []string{schema.LayoutItems}, Ranked: true}
	w.process = w.open()
	w.joins("r1")
	w.write("p1")
	g := testkit.NewGate(t, isTimelineCommit)
	w.must(w.beside(g, w.event(w.open(g.Interceptor()), "p1"), func() {
		w.must(w.event(w.process, "p1")())
		w.must(w.d.Lift(t.Context(), "p1", at, []string{"r1"}))
	}))
	if got := w.data("users/r1/timeline/p1")["at"]; got != at {
		t.Errorf("the post stands at %v, want %d", got, at)
	}
}
