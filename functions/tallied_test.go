package functions_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Likes beyond an account's hour wait in one job for each post, which counts the likes of that time. Removing a like never waits.
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

// The event of a count that functions wrote, of a post or a profile, costs nothing.
func TestEventsOfCountsCostNothing(t *testing.T) {
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

// A hidden post is removed at once, even beyond its author's hour and after functions counted its likes.
func TestCountedPostIsHiddenAtOnceBeyondHour(t *testing.T) {
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

// Notifications of the accounts that a post names count in its author's hour, also when the post is shown again. Accounts
// without a notification cost no reads.
func TestReshownPostNotifiesNobodyBeyondHour(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Counts: true, Notifications: true, ReaderSettings: true})
	named := []string{}
	for n := range 20 {
		u := fmt.Sprintf("u%02d", n)
		a.Profile(u, map[string]any{"name": u})
		named = append(named, u)
	}
	h := a.hourly(5)
	post := func(hidden bool, kind string) map[string]any {
		return map[string]any{"userId": "ada", "audience": "", "hidden": hidden, "to": named, "kind": kind}
	}
	h.late = true
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), post(false, "")))
	h.changes("OnPostWritten", "posts/p", nil, post(false, ""))
	told := func() (n int) {
		for _, u := range named {
			n += a.Count("users/" + u + "/notifications")
		}
		return n
	}
	if n := told(); n != 20 {
		t.Fatalf("%d people are told of the post, want 20", n)
	}
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), post(true, "")))
	h.changes("OnPostWritten", "posts/p", post(false, ""), post(true, ""))
	if n := told(); n != 0 {
		t.Fatalf("%d people are told of a post that is hidden", n)
	}
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), post(false, "")))
	h.changes("OnPostWritten", "posts/p", post(true, ""), post(false, ""))
	if n, jobs := told(), len(h.later()); n != 0 || jobs != 1 {
		t.Errorf("%d people are told of a post that is shown beyond the hour, and %d jobs wait", n, jobs)
	}
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), post(false, "photo")))
	if used := h.changes("OnPostWritten", "posts/p", post(false, ""), post(false, "photo")); used.Reads > 20 {
		t.Errorf("another kind costs %v beyond the hour", used)
	}
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), post(true, "photo")))
	if used := h.changes("OnPostWritten", "posts/p", post(false, "photo"), post(true, "photo")); used.Reads > 20+20 {
		t.Errorf("to hide a post of which nobody was told costs %v", used)
	}
}

// Posts count from the time their audience is filled in. An account recreated before its purge has its numbers. When a
// server drops a post's numbers, they are counted again.
func TestEventsThatRecount(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Counts: true})
	a.Profile("ada", map[string]any{"name": "ada"})
	h := a.hourly(10)
	h.late = true
	numbers := func(path string) string { return fmt.Sprint(a.Data(path)["counts"]) }
	old, filled := map[string]any{"userId": "ada"}, map[string]any{"userId": "ada", "audience": "ada", "hidden": false}
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), filled))
	h.changes("OnPostWritten", "posts/p", old, filled)
	if got := numbers("users/ada"); got != "map[posts:1]" {
		t.Errorf("after the fill, ada has %s", got)
	}
	a.Must(a.Client.Doc("posts/p/likes/bob").Set(t.Context(), map[string]any{"userId": "bob"}))
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), filled))
	counted := map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "counts": "of the functions"}
	h.changes("OnPostWritten", "posts/p", counted, filled)
	if got := numbers("posts/p"); got != "map[likes:1]" {
		t.Errorf("after a write without numbers, the post has %s", got)
	}
	a.Must(a.Client.Doc("users/ada").Set(t.Context(), map[string]any{"name": "ada"})) // deleted, and back
	h.changes("OnUserDeleted", "users/ada", map[string]any{"name": "ada", "counts": "of the functions"}, nil)
	if got := numbers("users/ada"); got != "map[posts:1]" {
		t.Errorf("after a return, ada has %s", got)
	}
}
