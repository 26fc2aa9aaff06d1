package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/sample"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// sampled is a world whose accounts are u0, u1, …
type sampled struct {
	*world
	found      []string // by the last run
	invariants []int    // of these
}

func newSampled(t *testing.T, cfg schema.Config, accounts int) *sampled {
	t.Helper()
	w := &sampled{world: newWorld(t, cfg)}
	documents := map[string]map[string]any{}
	for n := range accounts {
		documents[fmt.Sprintf("users/u%d", n)] = map[string]any{"name": "x"}
	}
	testkit.Write(t, w.DB.Client, documents)
	return w
}

// follow and post write what nobody hears of.
func (w *sampled) follow(follower, author string) {
	w.t.Helper()
	w.set("users/"+author+"/followers/"+follower, map[string]any{"createdAt": time.Now().Add(-time.Hour)})
}

func (w *sampled) post(id, author string) {
	w.t.Helper()
	w.set("posts/"+id, map[string]any{"userId": author, "audience": author, "hidden": false, "createdAt": time.Now().Add(-time.Minute)})
}

// run calls Run, whose pause is what happens meanwhile.
func (w *sampled) run(o sample.Options, meanwhile ...func()) sample.Sampled {
	w.t.Helper()
	w.found, w.invariants = nil, nil
	o.Report = func(f sample.Finding) {
		if v := f.Violation; v.Invariant != 0 && (v.Document != f.Document || v.Problem != f.Problem) {
			w.t.Errorf("%v is of the violation %v", f, v)
		}
		w.invariants = append(w.invariants, f.Violation.Invariant)
		w.found = append(w.found, f.String())
	}
	o.Wait = func(context.Context, time.Duration) error {
		for _, do := range meanwhile {
			do()
		}
		return nil
	}
	done, err := sample.Run(w.t.Context(), w.System, o)
	w.must(err)
	return done
}

const plenty = 100_000 // reads

// A round finds and repairs a change without an event.
func TestSampleRoundFindsChangesWithoutEvents(t *testing.T) {
	t.Parallel()
	w := newSampled(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}, 4)
	w.follow("u2", "u0")
	w.post("p1", "u0")
	w.set("users/u3/following/u1", map[string]any{"indexId": "00001"}) // of an unfollow that nobody heard of
	first := w.run(sample.Options{Reads: plenty})
	if !first.Ended || first.Accounts != 4 || first.Found == 0 || first.Left != first.Found || first.Round.Accounts != 4 || first.Round.Checked != 4 {
		t.Errorf("the first round: %+v", first)
	}
	for _, want := range []string{"users/u0/followers/u2: follower is in no index document", "users/u3/following/u1: edge of a follow that does not exist"} {
		if !slices.Contains(w.found, want) {
			t.Errorf("it finds %q, want %q", w.found, want)
		}
	}
	if !slices.Contains(w.invariants, 1) {
		t.Errorf("they are of the invariants %v", w.invariants)
	}
	if again := w.run(sample.Options{Reads: plenty}); again.Found != first.Found || again.Round.Number != 2 {
		t.Errorf("the second round: %+v, want as many findings as %+v", again, first)
	}
	// A repair of u0 gives u2 an edge, and then a timeline.
	if mended := w.run(sample.Options{Reads: plenty, Repair: true}); mended.Found == 0 || mended.Left > 0 {
		t.Errorf("with a repair: %+v", mended)
	}
	w.run(sample.Options{Reads: plenty, Repair: true})
	if last := w.run(sample.Options{Reads: plenty}); last.Found > 0 {
		t.Errorf("after the repair it finds %q", w.found)
	}
	got, err := pages.Newest(t.Context(), w.DB, w.Timelines.Layout(), "u2", 10)
	if err != nil || len(got) != 1 || got[0].Post != "p1" {
		t.Errorf("the timeline of u2 has %v, %v", got, err)
	}
}

// A run stays within its budget, and the next run continues where it ended. An account that costs more than
// a budget is reported and skipped.
func TestSampleStaysWithinReadBudget(t *testing.T) {
	t.Parallel()
	const accounts, budget = 9, 60
	w := newSampled(t, schema.Config{NoOwnPosts: true}, accounts)
	followers := map[string]map[string]any{}
	for n := range 400 {
		followers[fmt.Sprintf("users/u4/followers/f%03d", n)] = map[string]any{"createdAt": time.Now()}
	}
	testkit.Write(t, w.DB.Client, followers)
	var all, runs int64
	var large []string
	for ended := false; !ended && runs < 20; runs++ {
		done := w.run(sample.Options{Reads: budget})
		// The check of u4 ends at the next part of its followers that was read; then comes the last check of a run.
		if most := int64(budget + 400); done.Reads > most {
			t.Errorf("run %d reads %d, want at most %d", runs, done.Reads, most)
		}
		all, large, ended = all+done.Accounts, append(large, done.Large...), done.Ended
		if done.Round.Number != 1 || done.Round.Checked != all {
			t.Errorf("run %d: %+v, want %d checked in round 1", runs, done.Round, all)
		}
		if ended && done.Round.ReadsOfAll() < done.Round.Reads {
			t.Errorf("a round reads about %d, and this one has read %d", done.Round.ReadsOfAll(), done.Round.Reads)
		}
	}
	if diff := cmp.Diff([]string{"u4"}, large); diff != "" || all != accounts-1 || runs < 3 {
		t.Errorf("%d runs check %d of %d accounts, left out (-want +got):\n%s", runs, all, accounts, diff)
	}
}

// Changes in flight are neither reported nor repaired: an event handled between the two checks, and the subject of a job.
func TestChangesInFlightAreNotReported(t *testing.T) {
	t.Parallel()
	w := newSampled(t, schema.Config{NoOwnPosts: true}, 2)
	w.follow("u1", "u0")
	handled := func() {
		w.must(w.Graph.Follow(t.Context(), "u0", "u1"))
	}
	if done := w.run(sample.Options{Reads: plenty}, handled); done.Found+done.Busy > 0 {
		t.Errorf("an event that is late: %+v, %q", done, w.found)
	}
	w.post("p1", "u0")
	w.set("_functions/post:p1~00001-", map[string]any{"kind": "relations.post", "state": "queued", "args": map[string]any{"post": "p1"}, "wakeAt": time.Now().Add(time.Hour)})
	if done := w.run(sample.Options{Reads: plenty}); done.Found > 0 || done.Busy == 0 {
		t.Errorf("a job under way: %+v, %q", done, w.found)
	}
	done := w.run(sample.Options{Reads: plenty, Repair: true}) // it leaves what waits, such as for an account's hour
	docs, err := w.DB.Client.GetAll(t.Context(), []*firestore.DocumentRef{w.DB.Client.Doc("_relations/p1_00001")})
	w.must(err)
	if done.Busy == 0 || docs[0].Exists() {
		t.Errorf("a repair with a job under way: %+v, and it has brought the post: %t", done, docs[0].Exists())
	}
	_, err = w.DB.Client.Doc("_functions/post:p1~00001-").Delete(t.Context())
	w.must(err)
	if done := w.run(sample.Options{Reads: plenty}); done.Found != 1 || !strings.Contains(w.found[0], "_relations/p1_00001") {
		t.Errorf("without the job: %+v, %q", done, w.found)
	}
}

// While the brake is on, missing documents are expected: nothing is checked, and the round keeps its position.
func TestSampleChecksNothingWhileBrakeIsOn(t *testing.T) {
	t.Parallel()
	w := newSampled(t, schema.Config{NoOwnPosts: true}, 2)
	w.follow("u1", "u0")
	brake := schema.BrakeDocument(w.DB.Client)
	w.set("_settings/paused", map[string]any{})
	if done := w.run(sample.Options{Reads: plenty}); !done.Braked || done.Accounts > 0 || done.Ended {
		t.Errorf("with the brake on: %+v", done)
	}
	_, err := brake.Delete(t.Context())
	w.must(err)
	if done := w.run(sample.Options{Reads: plenty}); done.Braked || done.Found == 0 || done.Round.Number != 1 {
		t.Errorf("with the brake off: %+v", done)
	}
}
