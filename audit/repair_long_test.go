//go:build long

package audit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// wantNothingMissed checks that everybody sees what follower documents and posts say: who is being moved may see it
// twice.
func wantNothingMissed(a *testkit.App) {
	a.T.Helper()
	a.WantFeeds(func(reader string) []string { return slices.Compact(a.Feed(reader)) })
}

func TestRepairOfEverythingAtOnce(t *testing.T) {
	t.Parallel()
	forwards := damages()
	backwards := damages()
	slices.Reverse(backwards)
	for name, order := range map[string][]damaged{"forwards": forwards, "backwards": backwards} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.SoundApp(t)
			a.Post("p2", "author", stories.Day.Add(time.Hour)) // stays when p1 goes
			for _, c := range order {
				c.damage(a)
			}
			repaired, _ := a.Repair("")
			t.Logf("%d violations", repaired.Before.Violations)
			if repaired.Before.Violations < 15 || repaired.After.Violations != 1 || repaired.After.Jobs != 1 {
				t.Errorf("before %+v, after %+v: %v", repaired.Before, repaired.After, repaired.Left)
			}
			a.WantSound()
			if _, used := a.Repair(""); used.Writes+used.Deletes > 0 {
				t.Errorf("a second repair costs %v, want no writes", used)
			}
		})
	}
}

// Of two authors with the same damage only the one that is asked for is repaired.
func TestRepairOfOneAuthor(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	authors := []string{"author", "other"}
	for _, r := range []string{"r1", "r2", "r3"} {
		for _, u := range authors {
			a.Follow(r, u)
		}
		a.Settle()
	}
	for _, u := range authors {
		a.Post("p-"+u, u, stories.Day)
	}
	a.Settle()
	a.Silence()
	for _, u := range authors {
		a.Must(a.Client.Doc("users/"+u+"/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "followers", Value: []string{"r1", "x"}}}))
		a.Must(a.Client.Doc("users/" + u + "/followers_index/00002").Delete(t.Context()))
		a.Must(a.Client.Doc("users/r1/following/" + u).Delete(t.Context()))
		a.Must(a.Client.Doc("_relations/p-" + u + "_00001").Delete(t.Context()))
	}
	everything := func() map[string]map[string]any {
		of := a.Documents(a.Client.Collection("users").Query, a.Client.CollectionGroup("followers_index").Query,
			a.Client.CollectionGroup("following").Query, a.Client.Collection("_relations").Query)
		maps.DeleteFunc(of, func(path string, _ map[string]any) bool { return !strings.Contains(path, "other") })
		return of
	}
	before, damage := everything(), len(a.ViolationsOf("other"))
	repaired, _ := a.Repair("author")
	if repaired.Before.Violations == 0 || repaired.After.Violations != 0 {
		t.Errorf("before %+v, after %+v: %v", repaired.Before, repaired.After, repaired.Left)
	}
	for _, v := range a.ViolationsOf("author") {
		t.Errorf("the author has %v", v)
	}
	if left := a.ViolationsOf("other"); len(left) != damage || damage == 0 {
		t.Errorf("the other author has %d violations left of %d", len(left), damage)
	}
	if diff := cmp.Diff(before, everything()); diff != "" {
		t.Errorf("documents of the other author (-before +after):\n%s", diff)
	}
	if repaired, _ := a.Repair(""); repaired.After.Violations != 0 {
		t.Errorf("after all are repaired: %+v: %v", repaired.After, repaired.Left)
	}
	a.WantSound()
}

// A repair is disturbed: it says so, or gets over it. The next repair finishes it.
func TestNextRepairFinishesDisturbedRepair(t *testing.T) {
	t.Parallel()
	set := func(a *testkit.App, path string, data map[string]any) {
		a.Must(a.Client.Doc(path).Set(a.T.Context(), data))
	}
	var works []testkit.Disturbed[*testkit.App]
	for name, damage := range map[string]func(*testkit.App){
		"all that is derived is gone": func(a *testkit.App) {
			for path := range a.Documents(a.Client.CollectionGroup("followers_index").Query, a.Client.CollectionGroup("following").Query, a.Client.Collection("_relations").Query) {
				a.Must(a.Client.Doc(path).Delete(a.T.Context()))
			}
		},
		"index documents cannot be read": func(a *testkit.App) {
			for path := range a.Documents(a.Client.CollectionGroup("followers_index").Query) {
				set(a, path, map[string]any{"followers": "x"})
			}
		},
		"followers are in wrong places": func(a *testkit.App) {
			for i, followers := range map[string][]string{"00001": {"r1", "r2", "r3", "x"}, "00002": {"r1"}} {
				set(a, "users/author/followers_index/"+i, map[string]any{"followers": followers, "count": len(followers), "sizeBytes": 3, "version": 7, "backfilled": true})
			}
			set(a, "users/r1/following/author", map[string]any{"indexId": "00002", "left": []string{"00001"}})
			set(a, "users/r9/following/author", map[string]any{"indexId": "00002", "left": []string{"00001"}})
			a.Must(a.Client.Doc("users/r2/following/author").Delete(a.T.Context()))
		},
		"relations are wrong": func(a *testkit.App) {
			set(a, "_relations/p1_00001", map[string]any{"userId": "author", "audience": "author", "postId": "p1", "indexId": "00001", "indexVersion": 99, "followers": []string{"x"}})
			set(a, "_relations/p1_00009", map[string]any{"userId": "author", "audience": "author", "postId": "p1", "indexId": "00009", "followers": []string{"r1"}, "createdAt": stories.Day})
			a.Must(a.Client.Doc("_relations/p1_00002").Delete(a.T.Context()))
		},
		"everything is wrong": func(a *testkit.App) {
			a.Post("p2", "author", stories.Day.Add(time.Hour))
			holding := func(followers ...string) map[string]any {
				return map[string]any{"followers": followers, "count": 1, "sizeBytes": 3, "version": 7, "backfilled": true}
			}
			testkit.Write(t, a.Client, map[string]map[string]any{
				"users/author":                       {"name": "Ada", "followers_index": 5},
				"users/author/followers/r2":          {"createdAt": stories.Day},
				"users/author/blocked/r2":            {"createdAt": stories.Day},
				"users/author/followers/r9":          {},
				"users/author/followers_index/00001": {"followers": "x"},
				"users/author/followers_index/00002": holding("r1", "r3", "r3", "x"),
				"users/author/followers_index/zzz":   holding("r1"),
				"users/r1/following/author":          {"indexId": 7},
				"users/r3/following/author":          {"indexId": "00002", "left": []string{"00001"}},
				"users/r9/following/nobody":          {"indexId": "00001"},
				"_relations/p1_00002":                {"userId": "author", "audience": "author", "postId": "p1", "indexId": "00002", "indexVersion": 99, "text": "old"},
				"_relations/p2_00002":                {"userId": "author", "postId": "p2", "indexId": "00002"}, // without an audience
				"_relations/p2_00009":                {"userId": "author", "audience": "author", "postId": "p2", "indexId": "00009", "createdAt": stories.Day},
				"_relations/stray":                   {"userId": "nobody", "audience": "nobody"},
			})
		},
	} {
		works = append(works, disturbedRepair(name, func(t *testing.T) *testkit.App {
			a := testkit.SoundApp(t)
			damage(a)
			return a
		}, (*testkit.App).WantSound))
	}
	testkit.Disturb(t, works...)
}

// disturbedRepair is a repair of all authors.
func disturbedRepair(name string, damaged func(*testing.T) *testkit.App, sound func(*testkit.App)) testkit.Disturbed[*testkit.App] {
	return testkit.Disturbed[*testkit.App]{
		Name: name, Prepare: damaged, Check: sound, Recovers: true, Writes: 3, Reads: 3,
		Act: func(a *testkit.App, p testkit.Process) error {
			return left(repair.New(a.Instance(p.Interceptor)).Repair(a.T.Context(), "", nil, nil))
		},
	}
}

// left returns the error of a repair, or one for the violations that it leaves.
func left(repaired repair.Repaired, err error) error {
	if err == nil && repaired.After.Violations > 0 {
		return fmt.Errorf("%d violations are left: %v", repaired.After.Violations, repaired.Left)
	}
	return err
}

// Follows, unfollows and posts arrive while their author is repaired.
func TestRepairWhileEventsArrive(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 20})
	const followers = 60
	reader := func(n int) string { return fmt.Sprintf("r%d", n) }
	for n := range followers {
		a.Follow(reader(n), "author")
	}
	for n := range 5 {
		a.Post(fmt.Sprintf("p%d", n), "author", stories.Day.Add(time.Duration(n)*time.Hour))
	}
	a.Settle()
	a.WantVerified()

	// The second index document is no more, the third cannot be read, counts
	// are wrong and edges are gone.
	index := func(i string) *firestore.DocumentRef { return a.Client.Doc("users/author/followers_index/" + i) }
	a.Must(index("00002").Delete(t.Context()))
	a.Must(index("00003").Set(t.Context(), map[string]any{"followers": "x"}))
	a.Must(index("00001").Update(t.Context(), []firestore.Update{{Path: "count", Value: 3}}))
	for n := range 10 {
		a.Must(a.Client.Doc("users/" + reader(n) + "/following/author").Delete(t.Context()))
	}

	var clients sync.WaitGroup
	for lane := range 3 {
		clients.Go(func() {
			for n := lane; n < followers; n += 3 {
				a.Follow(fmt.Sprintf("new%d", n), "author")
				if n%2 == 0 {
					a.Unfollow(reader(n), "author")
				}
				if n%20 == 0 {
					a.Post(fmt.Sprintf("new%d", n), "author", stories.Day.Add(-time.Duration(n+1)*time.Hour))
				}
			}
		})
	}
	repaired, err := repair.New(a.Instance()).Repair(t.Context(), "author", nil, nil)
	clients.Wait()
	a.Settle()
	t.Logf("before %+v, after %+v, error %v", repaired.Before, repaired.After, err)
	if err != nil {
		t.Error(err)
	}
	a.WantSound()
}

// A repair does the work of jobs itself: no function has to be deployed.
func TestRepairBeyondTheInlineLimit(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 2})
	a.Silence()
	for n := range 6 {
		a.Follow(fmt.Sprintf("r%d", n), "author")
		a.Post(fmt.Sprintf("p%d", n), "author", stories.Day.Add(time.Duration(n)*time.Hour))
	}
	repaired, _ := a.Repair("")
	if repaired.Before.Violations == 0 || repaired.After.Violations != 0 || repaired.After.Relations != 36 {
		t.Errorf("before %+v, after %+v: %v", repaired.Before, repaired.After, repaired.Left)
	}
	a.WantSound()
}

// Followers of more index documents than one transaction takes, and more than
// it takes followers.
func TestRepairOfManyFollowers(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 50})
	a.Silence()
	const followers = 400
	bulk := a.Client.BulkWriter(t.Context())
	for n := range followers {
		if _, err := bulk.Set(a.Client.Doc(fmt.Sprintf("users/author/followers/f%d", n)), map[string]any{}); err != nil {
			t.Fatal(err)
		}
	}
	bulk.End()
	a.Post("p1", "author", stories.Day)
	want := func(what string, writes int64) {
		t.Helper()
		repaired, used := a.Repair("")
		if repaired.Before.Violations == 0 || repaired.After.Violations != 0 || repaired.After.IndexDocuments != followers/50 {
			t.Errorf("%s: %+v: %v", what, repaired.After, repaired.Left)
		}
		if used.Writes > writes {
			t.Errorf("%s costs %v, want at most %d writes", what, used, writes)
		}
	}
	want("follows alone", 2*followers) // edges, and the index documents and their relations in a few transactions each
	for path := range a.Documents(a.Client.CollectionGroup("following").Query) {
		a.Must(a.Client.Doc(path).Delete(t.Context()))
	}
	want("no edges", followers)
	a.Must(a.Client.Doc("users/author/followers_index/00003").Set(t.Context(), map[string]any{"followers": "x"}))
	want("an index document lost", 5) // rewritten, filled again, its relation copied, marked
	a.WantSound()
}
