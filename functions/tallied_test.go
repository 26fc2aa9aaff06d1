package functions_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Likes beyond an account's hour wait in one job for each post, which counts what is there then. To take a like back waits for nothing.
func TestLikesBeyondTheHour(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Counts: true, Notifications: true})
	a.Profile("ada", map[string]any{"name": "ada"})
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), map[string]any{"userId": "ada", "createdAt": day}))
	h := a.hourly(1)
	like := map[string]any{"userId": "bob", "postId": "p"}
	path := "posts/p/likes/bob"
	stored := map[string]any{"userId": "bob", "postId": "p", "createdAt": firestore.ServerTimestamp}
	for range 3 {
		a.Must(a.Client.Doc(path).Set(t.Context(), stored))
		h.changes("OnLikeWritten", path, nil, like)
		a.Must(a.Client.Doc(path).Delete(t.Context()))
		h.changes("OnLikeWritten", path, like, nil)
	}
	if n := a.Data("posts/p")["counts"].(map[string]any)["likes"]; n != int64(0) {
		t.Errorf("the post has %v likes, want none", n)
	}
	a.Must(a.Client.Doc(path).Set(t.Context(), stored))
	if jobs := h.later(); len(jobs) != 1 {
		t.Fatalf("the jobs %+v wait, want one", jobs)
	}
	h.ran()
	if n := a.Data("posts/p")["counts"].(map[string]any)["likes"]; n != int64(1) || a.Count("users/ada/notifications") != 1 {
		t.Errorf("the post has %v likes, want one", n)
	}
}

// The event of what functions have counted costs nothing, of a post and of a profile.
func TestWhatFunctionsCountCostsNothing(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Counts: true, Notifications: true, Feeds: []string{"relations", "items"}, AuthorFields: []string{"name=authorName"}})
	h := a.hourly(10)
	for function, path := range map[string]string{"OnPostWritten": "posts/p", "OnUserWritten": "users/ada"} {
		before := map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "to": []string{"bob"}, "name": "Ada"}
		after := map[string]any{"counts": "of the functions"}
		for name, v := range before {
			after[name] = v
		}
		if used := h.changes(function, path, before, after); used.Requests > 0 {
			t.Errorf("%s: it cost %v", function, used)
		}
	}
}

// A post is taken from people at once, also beyond its author's hour, though functions have counted its likes since.
func TestATakedownOfACountedPost(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Counts: true, Feeds: []string{"items"}})
	a.FollowSince("r", "ada", day.Add(-time.Hour))
	a.OK(a.Instance().Graph.Follow(t.Context(), "ada", "r"))
	h := a.hourly(1)
	before := map[string]any{"userId": "ada", "audience": "ada", "hidden": false}
	after := map[string]any{"userId": "ada", "audience": "ada", "hidden": true}
	h.late = true
	for range 3 {
		a.Must(a.Client.Doc("posts/p").Set(t.Context(), before))
		h.changes("OnPostWritten", "posts/p", nil, before)
	}
	if entries, jobs := a.Count("users/r/timeline"), len(h.later()); entries != 1 || jobs != 1 {
		t.Fatalf("%d entries and %d jobs that wait, want one of each", entries, jobs)
	}
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), map[string]any{"userId": "ada", "audience": "ada", "hidden": true, "counts": map[string]any{"likes": 3}}))
	h.changes("OnPostWritten", "posts/p", before, after)
	if n := a.Count("users/r/timeline"); n != 0 {
		t.Errorf("%d entries of a post that was taken down", n)
	}
}
