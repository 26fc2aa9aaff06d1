package functions_test

import (
	"context"
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
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// repair runs a repair on an instance of its own and returns what it did, and
// what it wrote.
func (a *app) repair(author string) (repair.Repaired, wire.Counts) {
	a.T.Helper()
	var meter wire.Meter
	var doings []string
	progress := func(doing string, _ int64) {
		if len(doings) == 0 || doings[len(doings)-1] != doing {
			doings = append(doings, doing)
		}
	}
	repaired, err := repair.New(a.Instance(meter.Interceptor())).Repair(a.T.Context(), author, nil, progress)
	if err != nil {
		a.T.Fatal(err)
	}
	if len(doings) > 5 { // of one walk that repairs before relations are read, and after, and one that finds nothing
		a.T.Errorf("at rest a repair takes one round, this one went %v", doings)
	}
	return repaired, meter.Counts()
}

// wantSound checks that verify names nothing but jobs, and that the feeds of
// everybody are what follower documents and posts say.
func (a *app) wantSound() {
	a.T.Helper()
	for _, v := range a.Violations() {
		if v.Invariant != 4 {
			a.T.Errorf("verify: %v", v)
		}
	}
	a.wantFeeds(a.Feed)
}

// wantNothingMissed checks that everybody sees what follower documents and posts say: who is being moved may see it
// twice.
func (a *app) wantNothingMissed() {
	a.T.Helper()
	a.wantFeeds(func(reader string) []string { return slices.Compact(a.Feed(reader)) })
}

// wantFeeds checks that the feeds of everybody are what follower documents and posts say.
func (a *app) wantFeeds(feed func(reader string) []string) {
	a.T.Helper()
	want := map[string][]string{"r1": {}, "r2": {}, "r3": {}, "r6": {}, "r9": {}, "x": {}} // whoever follows nobody sees nothing
	posts, err := a.Client.Collection("posts").OrderBy("createdAt", firestore.Desc).Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	followers, err := a.Client.CollectionGroup("followers").Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	for _, post := range posts {
		for _, f := range followers {
			if author := f.Ref.Parent.Parent.ID; author == post.Data()["userId"] && author != f.Ref.ID {
				want[f.Ref.ID] = append(want[f.Ref.ID], post.Ref.ID)
			}
		}
	}
	for reader, posts := range want {
		if diff := cmp.Diff(posts, feed(reader)); diff != "" {
			a.T.Errorf("feed of %s (-want +got):\n%s", reader, diff)
		}
	}
}

// documents are all documents below collections, by path.
func (a *app) documents(collections ...firestore.Query) map[string]map[string]any {
	a.T.Helper()
	found := map[string]map[string]any{}
	for _, q := range collections {
		docs, err := q.Documents(a.T.Context()).GetAll()
		if err != nil {
			a.T.Fatal(err)
		}
		for _, doc := range docs {
			_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
			found[path] = doc.Data()
		}
	}
	return found
}

// clientDocuments are the documents, and the fields of users, that clients write.
func (a *app) clientDocuments() map[string]map[string]any {
	a.T.Helper()
	found := a.documents(a.Client.Collection("posts").Query, a.Client.CollectionGroup("followers").Query, a.Client.Collection("users").Query)
	for path, data := range found {
		delete(data, "followers_index")
		delete(data, "latestFollowersIndex")
		if len(data) == 0 && strings.Count(path, "/") == 1 {
			delete(found, path) // a user without a profile is none
		}
	}
	return found
}

// Whatever verify names is repaired, by one repair; the second writes nothing.
func TestRepairOfWhatIsDamaged(t *testing.T) {
	t.Parallel()
	for c := range testkit.Cases(t, damages()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := soundApp(t)
			a.Must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"name": "Ada"}, firestore.MergeAll))
			c.damage(a)
			clients := a.clientDocuments()
			repaired, _ := a.repair("")
			if repaired.Before.Violations == 0 {
				t.Error("nothing was found")
			}
			if jobs := repaired.After.Jobs; repaired.After.Violations != jobs || jobs > 0 != (c.invariant == 4) || int(jobs) != len(repaired.Left) {
				t.Errorf("after the repair: %+v, %v", repaired.After, repaired.Left)
			}
			a.wantSound()
			if diff := cmp.Diff(clients, a.clientDocuments()); diff != "" {
				t.Errorf("documents of clients (-before +after):\n%s", diff)
			}
			if _, used := a.repair(""); used.Writes+used.Deletes > 0 {
				t.Errorf("a second repair costs %v, want no writes", used)
			}
		})
	}
}

// Other followers make another version: whoever still works with the old ones
// finds it changed.
func TestRepairThatRewritesMakesANewVersion(t *testing.T) {
	t.Parallel()
	a := soundApp(t)
	const document = "users/author/followers_index/00001"
	version, _ := a.Data(document)["version"].(int64)
	a.Must(a.Client.Doc(document).Update(t.Context(), []firestore.Update{{Path: "followers", Value: []string{"r1", "r2", "r2"}}}))
	a.repair("")
	want := map[string]any{"followers": []any{"r1", "r2"}, "count": int64(2), "sizeBytes": int64(6), "version": version + 1, "changes": []any{}, "backfilled": true}
	got := a.Data(document)
	if rewritten, _ := got["rewritten"].(int64); rewritten == 0 {
		t.Error("it does not say when it was rewritten")
	}
	delete(got, "rewritten")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRepairOfEverythingAtOnce(t *testing.T) {
	t.Parallel()
	forwards := damages()
	backwards := damages()
	slices.Reverse(backwards)
	for name, order := range map[string][]damaged{"forwards": forwards, "backwards": backwards} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := soundApp(t)
			a.Post("p2", "author", day.Add(time.Hour)) // stays when p1 goes
			for _, c := range order {
				c.damage(a)
			}
			repaired, _ := a.repair("")
			t.Logf("%d violations", repaired.Before.Violations)
			if repaired.Before.Violations < 15 || repaired.After.Violations != 1 || repaired.After.Jobs != 1 {
				t.Errorf("before %+v, after %+v: %v", repaired.Before, repaired.After, repaired.Left)
			}
			a.wantSound()
			if _, used := a.repair(""); used.Writes+used.Deletes > 0 {
				t.Errorf("a second repair costs %v, want no writes", used)
			}
		})
	}
}

// Of two authors with the same damage only the one that is asked for is repaired.
func TestRepairOfOneAuthor(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 2})
	authors := []string{"author", "other"}
	for _, r := range []string{"r1", "r2", "r3"} {
		for _, u := range authors {
			a.Follow(r, u)
		}
		a.Settle()
	}
	for _, u := range authors {
		a.Post("p-"+u, u, day)
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
		of := a.documents(a.Client.Collection("users").Query, a.Client.CollectionGroup("followers_index").Query,
			a.Client.CollectionGroup("following").Query, a.Client.Collection("_relations").Query)
		maps.DeleteFunc(of, func(path string, _ map[string]any) bool { return !strings.Contains(path, "other") })
		return of
	}
	before, damage := everything(), len(a.violationsOf("other"))
	repaired, _ := a.repair("author")
	if repaired.Before.Violations == 0 || repaired.After.Violations != 0 {
		t.Errorf("before %+v, after %+v: %v", repaired.Before, repaired.After, repaired.Left)
	}
	for _, v := range a.violationsOf("author") {
		t.Errorf("the author has %v", v)
	}
	if left := a.violationsOf("other"); len(left) != damage || damage == 0 {
		t.Errorf("the other author has %d violations left of %d", len(left), damage)
	}
	if diff := cmp.Diff(before, everything()); diff != "" {
		t.Errorf("documents of the other author (-before +after):\n%s", diff)
	}
	if repaired, _ := a.repair(""); repaired.After.Violations != 0 {
		t.Errorf("after all are repaired: %+v: %v", repaired.After, repaired.Left)
	}
	a.wantSound()
}

// A repair that is killed at any of its writes, or one of whose reads fails, is ended by another.
func TestARepairThatDiesIsEndedByTheNext(t *testing.T) {
	t.Parallel()
	set := func(a *app, path string, data map[string]any) { a.Must(a.Client.Doc(path).Set(a.T.Context(), data)) }
	for name, damage := range map[string]func(*app){
		"all that is derived is gone": func(a *app) {
			for path := range a.documents(a.Client.CollectionGroup("followers_index").Query, a.Client.CollectionGroup("following").Query, a.Client.Collection("_relations").Query) {
				a.Must(a.Client.Doc(path).Delete(a.T.Context()))
			}
		},
		"index documents cannot be read": func(a *app) {
			for path := range a.documents(a.Client.CollectionGroup("followers_index").Query) {
				set(a, path, map[string]any{"followers": "x"})
			}
		},
		"followers are in wrong places": func(a *app) {
			for i, followers := range map[string][]string{"00001": {"r1", "r2", "r3", "x"}, "00002": {"r1"}} {
				set(a, "users/author/followers_index/"+i, map[string]any{"followers": followers, "count": len(followers), "sizeBytes": 3, "version": 7, "backfilled": true})
			}
			set(a, "users/r1/following/author", map[string]any{"indexId": "00002", "left": []string{"00001"}})
			set(a, "users/r9/following/author", map[string]any{"indexId": "00002", "left": []string{"00001"}})
			a.Must(a.Client.Doc("users/r2/following/author").Delete(a.T.Context()))
		},
		"relations are wrong": func(a *app) {
			set(a, "_relations/p1_00001", map[string]any{"userId": "author", "audience": "author", "postId": "p1", "indexId": "00001", "indexVersion": 99, "followers": []string{"x"}})
			set(a, "_relations/p1_00009", map[string]any{"userId": "author", "audience": "author", "postId": "p1", "indexId": "00009", "followers": []string{"r1"}, "createdAt": day})
			a.Must(a.Client.Doc("_relations/p1_00002").Delete(a.T.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := soundApp(t)
			for misfortune, comes := range faults.Misfortunes() {
				points := 0
				for at := 1; ; at += testkit.Stride(t) {
					damage(a)
					interceptor, happened := comes(at)
					unlucky, err := repair.New(a.Instance(interceptor)).Repair(t.Context(), "", nil, nil)
					if !happened() {
						break // there is no at-th
					}
					points++
					if err == nil && unlucky.After.Violations == 0 { // it got over that, or must say so
						a.wantSound()
					}
					if repaired, _ := a.repair(""); repaired.After.Violations != 0 {
						t.Errorf("%+v: %v", repaired.After, repaired.Left)
					}
					a.wantSound()
					if t.Failed() {
						t.Fatalf("%s %d", misfortune, at)
					}
				}
				t.Logf("%s at %d points", misfortune, points)
				if points*testkit.Stride(t) < 3 {
					t.Errorf("%s at %d points alone", misfortune, points)
				}
			}
		})
	}
}

// Follows, unfollows and posts arrive while their author is repaired.
func TestRepairWhileEventsArrive(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 20})
	const followers = 60
	reader := func(n int) string { return fmt.Sprintf("r%d", n) }
	for n := range followers {
		a.Follow(reader(n), "author")
	}
	for n := range 5 {
		a.Post(fmt.Sprintf("p%d", n), "author", day.Add(time.Duration(n)*time.Hour))
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
					a.Post(fmt.Sprintf("new%d", n), "author", day.Add(-time.Duration(n+1)*time.Hour))
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
	a.wantSound()
}

// A repair does the work of jobs itself: no function has to be deployed.
func TestRepairBeyondTheInlineLimit(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 1, InlineLimit: 2})
	a.Silence()
	for n := range 6 {
		a.Follow(fmt.Sprintf("r%d", n), "author")
		a.Post(fmt.Sprintf("p%d", n), "author", day.Add(time.Duration(n)*time.Hour))
	}
	repaired, _ := a.repair("")
	if repaired.Before.Violations == 0 || repaired.After.Violations != 0 || repaired.After.Relations != 36 {
		t.Errorf("before %+v, after %+v: %v", repaired.Before, repaired.After, repaired.Left)
	}
	a.wantSound()
}

// Followers of more index documents than one transaction takes, and more than
// it takes followers.
func TestRepairOfManyFollowers(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 50})
	a.Silence()
	const followers = 400
	bulk := a.Client.BulkWriter(t.Context())
	for n := range followers {
		if _, err := bulk.Set(a.Client.Doc(fmt.Sprintf("users/author/followers/f%d", n)), map[string]any{}); err != nil {
			t.Fatal(err)
		}
	}
	bulk.End()
	a.Post("p1", "author", day)
	want := func(what string, writes int64) {
		t.Helper()
		repaired, used := a.repair("")
		if repaired.Before.Violations == 0 || repaired.After.Violations != 0 || repaired.After.IndexDocuments != followers/50 {
			t.Errorf("%s: %+v: %v", what, repaired.After, repaired.Left)
		}
		if used.Writes > writes {
			t.Errorf("%s costs %v, want at most %d writes", what, used, writes)
		}
	}
	want("follows alone", 2*followers) // edges, and the index documents and their relations in a few transactions each
	for path := range a.documents(a.Client.CollectionGroup("following").Query) {
		a.Must(a.Client.Doc(path).Delete(t.Context()))
	}
	want("no edges", followers)
	a.Must(a.Client.Doc("users/author/followers_index/00003").Set(t.Context(), map[string]any{"followers": "x"}))
	want("an index document lost", 5) // rewritten, filled again, its relation copied, marked
	a.wantSound()
}

func TestRepairThatIsCanceled(t *testing.T) {
	t.Parallel()
	a := soundApp(t)
	a.Must(a.Client.Doc("_relations/p1_00001").Delete(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := repair.New(a.Instance()).Repair(ctx, "", func(verify.Violation) { cancel() }, nil)
	if err == nil {
		t.Error("it says nothing")
	}
	a.repair("")
	a.wantSound()
}
