//go:build long

package accounts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A purge continues past damaged documents, of the account and of others. It removes everything else. In the
// end only an index document that no job can repair names the account. A repair of the authors in damage jobs
// finds that document.
func TestPurgeContinuesPastDamagedDocuments(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 3, Chunk: 2})
	x := a.Instance()
	stars := []string{"star1", "star2", "star3", "star4", "star5"}
	for _, star := range stars {
		if err := load.New(x).Adopt(t.Context(), []load.Follows{{Author: star, Followers: []string{"ada", "bob", "fan"}}}, load.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := load.New(x).Adopt(t.Context(), []load.Follows{{Author: "ada", Followers: []string{"fan"}}}, load.Options{}); err != nil {
		t.Fatal(err)
	}
	a.Post("p1", "ada", stories.Day)
	a.Damage("users/ada/following/star1", map[string]any{"indexId": 7})
	a.Damage("users/ada/following/star2", map[string]any{"indexId": "a/b"})
	a.Must(a.Client.Doc("users/star3/followers_index/00001").Set(t.Context(), testkit.BeyondRepair))
	a.Damage("users/star4/followers_index/00001", testkit.Mendable)
	a.Damage("users/star5/followers_index/00001", map[string]any{"followers": []any{"ada", "fan", 7}, "count": "two"})
	a.Must(a.Client.Doc("users/ada/followers_index/00001").Set(t.Context(), testkit.BeyondRepair))
	a.Damage("users/fan/following/ada", map[string]any{"indexId": 7})

	w := a.Worker(0)
	for n, f := range []string{"ada", "bob"} { // unfollow star5 before
		a.Unfollow(f, "star5")
		if n == 0 {
			if err := x.Graph.Follow(t.Context(), "star5", f); !errors.Is(err, schema.ErrDamaged) {
				t.Errorf("the event of an unfollow ends with %v", err)
			}
			w.Until(a, "index:star5:00001")
		}
		if err := x.Graph.Follow(t.Context(), "star5", f); err != nil {
			t.Error(err)
		}
	}
	if traces := a.Traces("ada"); !slices.Contains(traces, "_functions/index:star5:00001: args") {
		t.Errorf("ada is named by %q, want the job that says who waits to leave among them", traces)
	}
	a.DeleteAccount("ada")
	if err := w.Index.Accounts.Purge(t.Context(), "ada", "1", ""); err != nil {
		t.Fatal(err)
	}
	job := w.Until(a, a.PurgeJob().ID)
	if job.State != chunker.Done {
		t.Fatalf("the purge is %s: %+v", job.State, job.Error)
	}
	if a.Count("posts") > 0 || a.Count("users/ada/followers") > 0 || a.Count("users/ada/followers_index") > 0 {
		t.Error("the purge has left something of the account's own")
	}
	if leaving := a.Job("index:star5:00001").Args[schema.ArgLeaving]; leaving != "bob" {
		t.Errorf("%q wait to leave star5, want bob", leaving)
	}
	w.Until(a, "index:star3:00001")
	w.Until(a, "index:star4:00001")
	for range 2 { // events of the purge's deletions, which were retried
		for _, star := range stars {
			if err := x.Graph.Follow(t.Context(), star, "ada"); err != nil {
				t.Error(err)
			}
		}
	}
	var left []string
	for _, star := range []string{"star1", "star2", "star5"} {
		left = append(left, "users/"+star+"/followers_index/00001: changes", "users/"+star+"/followers_index/00001: followers")
	}
	if diff := cmp.Diff(left, slices.Sorted(slices.Values(a.Traces("ada")))); diff != "" {
		t.Errorf("what names ada (-want +got):\n%s", diff)
	}
	a.RepairDamaged()
	a.WantGone("ada")
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
	if err := event(); err != nil {
		t.Error(err)
	}
	if leaving := a.Job("index:author:00001").Args[schema.ArgLeaving]; leaving != "x/r00" {
		t.Errorf("%q wait to leave, want r00 among them", leaving)
	}
}

// A purge deletes the jobs that report the account's damaged documents.
func TestPurgeDeletesDamageJobs(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
	a.Profile("author", map[string]any{"displayName": "A"})
	testkit.Adopt(a, 2)
	a.Damage("users/r01/following/author", map[string]any{"indexId": 7})
	if err := a.Instance().Graph.Follow(t.Context(), "author", "r01"); err != nil {
		t.Fatal(err)
	}
	a.WantTold("users/r01/following/author")
	a.DeleteAccount("author")
	if err := a.Worker(0).Purge(a, "author"); err != nil {
		t.Fatal(err)
	}
	a.WantTold()
	a.WantGone("author")
}
