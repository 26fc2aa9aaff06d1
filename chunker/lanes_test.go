package chunker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
)

// The items i0 to i9 in three lanes: up to i2, i3 to i6, i7 on.
func laneSpec(id string) chunker.Spec {
	return chunker.Spec{ID: id, Kind: "counted", Splits: []string{"i3", "i7"}, Generation: "1"}
}

func (b *bench) runLanes() {
	b.t.Helper()
	for n := range 3 {
		id := fmt.Sprintf("j~%02d", n)
		for !b.job(id).State.Finished() {
			if err := b.run(id, b.plenty()); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

func TestLanesShareAWalkAndTheirParentShowsTheSum(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(laneSpec("j"))
	if job := b.wantState("j", chunker.Running); job.Lanes != 3 || job.LanesOpen != 3 || job.Lease != nil || job.WakeAt != nil {
		t.Errorf("the parent: %+v", job)
	}
	if err := b.run("j", b.plenty()); err != nil || len(b.visited) != 0 {
		t.Errorf("an event of the parent: %v, %d visits", err, len(b.visited))
	}
	var sums []string
	for _, lane := range []string{"j~01", "j~00", "j~02"} {
		if err := b.run(lane, b.plenty()); err != nil {
			t.Fatal(err)
		}
		job := b.job("j")
		sums = append(sums, fmt.Sprintf("%d of %d done, %v, %d open, %s", job.Done, *job.Total, job.Counts, job.LanesOpen, job.State))
	}
	want := []string{
		"4 of 4 done, map[visits:4], 2 open, running",
		"7 of 7 done, map[visits:7], 1 open, running",
		"10 of 10 done, map[visits:10], 0 open, done",
	}
	if diff := cmp.Diff(want, sums); diff != "" {
		t.Errorf("the parent (-want +got):\n%s", diff)
	}
	if got, want := strings.Join(b.visited, " "), "i3 i4 i5 i6 i0 i1 i2 i7 i8 i9"; got != want {
		t.Errorf("visited %s, want %s", got, want)
	}
}

func TestLanesRunAgainForANewGeneration(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := laneSpec("j")
	b.enqueue(spec)
	if err := b.run("j~00", b.plenty()); err != nil {
		t.Fatal(err)
	}
	b.enqueue(spec)
	if job := b.job("j"); job.Done != 3 || job.LanesOpen != 2 {
		t.Errorf("the same generation again: %+v", job)
	}
	spec.Generation, spec.Splits = "2", []string{"i5"}
	b.enqueue(spec)
	if job := b.wantState("j", chunker.Running); job.Done != 0 || job.LanesOpen != 3 {
		t.Errorf("a new generation while lanes are under way: %+v", job)
	}
	b.visited = nil
	b.runLanes()
	if job := b.wantState("j", chunker.Done); job.Done != items || job.Counts["visits"] != items {
		t.Errorf("%d done, %v, want %d", job.Done, job.Counts, items)
	}
	// Those lanes that had not begun went once, for both generations.
	if len(b.visited) < items || len(b.visited) > 2*items {
		t.Errorf("%d visits", len(b.visited))
	}
	hop := b.job("j~00").Hop
	spec.Generation = "3"
	b.enqueue(spec)
	if job := b.wantState("j", chunker.Running); job.Lanes != 2 || job.Done != 0 {
		t.Errorf("a new generation when all were finished: %+v", job)
	}
	if got := b.job("j~00").Hop; got <= hop {
		t.Errorf("hop of the lane is %d after %d: it must not go back", got, hop)
	}
	for _, lane := range []string{"j~00", "j~01"} {
		if err := b.run(lane, b.plenty()); err != nil {
			t.Fatal(err)
		}
	}
	b.wantState("j", chunker.Done)
}

// A lane that is done forgets its owner. When it starts over it takes the owner's turns again.
func TestALaneThatStartsOverKeepsItsOwner(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := laneSpec("j")
	spec.Owner, spec.Private, spec.Args = "ann", true, map[string]string{"author": "ann"}
	b.enqueue(spec)
	if err := b.run("j~00", b.plenty()); err != nil {
		t.Fatal(err)
	}
	spec.Generation = "2"
	b.enqueue(spec)
	for n := range 3 {
		if job := b.wantState(fmt.Sprintf("j~%02d", n), chunker.Queued); job.Owner != "ann" || job.Args["author"] != "ann" || job.Generation != "2" {
			t.Errorf("lane %d has the owner %q, the arguments %v, and generation %s", n, job.Owner, job.Args, job.Generation)
		}
	}
	if job := b.wantState("j", chunker.Running); job.Done != 0 || job.LanesOpen != 3 {
		t.Errorf("the parent: %+v", job)
	}
	b.runLanes()
	if job := b.wantState("j", chunker.Done); job.Done != items {
		t.Errorf("%d done, want %d", job.Done, items)
	}
}

func TestALaneThatFailsFailsTheParentAndRetryRunsItAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(laneSpec("j"))
	b.fail = func(item string) error {
		if item == "i4" {
			return chunker.Permanent(errors.New("bad document"))
		}
		return nil
	}
	b.runLanes()
	job := b.wantState("j", chunker.Failed)
	if job.Error == nil || !strings.Contains(job.Error.Message, "j~01") || !strings.Contains(job.Error.Message, "bad document") {
		t.Errorf("the parent says %+v", job.Error)
	}
	b.fail = func(string) error { return nil }
	if _, err := b.Retry(t.Context(), "j~01"); !errors.Is(err, chunker.ErrLane) {
		t.Errorf("retry of a lane: %v, want ErrLane", err)
	}
	if lanes, err := b.Lanes(t.Context(), chunker.Job{ID: "j", Lanes: 3}); err != nil || len(lanes) != 3 || lanes[1].State != chunker.Failed {
		t.Errorf("lanes: %v, %+v", err, lanes)
	}
	if job, err := b.Retry(t.Context(), "j"); err != nil || job.State != chunker.Running || job.LanesOpen != 1 {
		t.Fatalf("retry: %v, %+v", err, job)
	}
	b.runLanes()
	if job := b.wantState("j", chunker.Done); job.Done != items || job.Error != nil {
		t.Errorf("after the retry: %+v", job)
	}
}

func TestCancelOfAParentCancelsItsLanes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(laneSpec("j"))
	if err := b.run("j~00", b.plenty()); err != nil {
		t.Fatal(err)
	}
	if job, err := b.Cancel(t.Context(), "j"); err != nil || job.State != chunker.Canceled || job.Done != 3 {
		t.Fatalf("cancel: %v, %+v", err, job)
	}
	b.wantState("j~00", chunker.Done)
	b.wantState("j~01", chunker.Canceled)
	b.wantState("j~02", chunker.Canceled)
	if job, err := b.Retry(t.Context(), "j"); err != nil || job.LanesOpen != 2 {
		t.Fatalf("retry: %v, %+v", err, job)
	}
	b.runLanes()
	b.wantState("j", chunker.Done)
}

func TestAParentWhoseLanesWereDeletedCanBeCanceled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(laneSpec("j"))
	for n := range 3 {
		if err := b.Delete(t.Context(), fmt.Sprintf("j~%02d", n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Cancel(t.Context(), "j"); err != nil {
		t.Error(err)
	}
	b.wantState("j", chunker.Canceled)
}
