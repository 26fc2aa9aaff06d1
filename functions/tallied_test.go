package functions_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
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
	a.friends("r")
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
		a.Follow(u, "ada")
		named = append(named, u)
	}
	h := a.hourly(6)
	post := func(hidden bool, kind string) map[string]any {
		return map[string]any{"userId": "ada", "audience": "", "hidden": hidden, "to": named, "kind": kind}
	}
	h.late = true
	set := func(hidden bool, kind string) {
		fields := post(hidden, kind)
		fields["createdAt"] = day
		a.Must(a.Client.Doc("posts/p").Set(t.Context(), fields))
	}
	set(false, "")
	h.changes("OnPostWritten", "posts/p", nil, post(false, ""))
	told := func() (n int) {
		for _, u := range named {
			docs, err := a.Client.Collection("users/"+u+"/notifications").OrderBy("at", firestore.Desc).Documents(t.Context()).GetAll()
			a.OK(err)
			n += len(docs)
		}
		return n
	}
	if n := told(); n != 20 {
		t.Fatalf("%d people are told of the post, want 20", n)
	}
	set(true, "")
	h.changes("OnPostWritten", "posts/p", post(false, ""), post(true, ""))
	if n := told(); n != 0 {
		t.Fatalf("%d people are told of a post that is hidden", n)
	}
	set(false, "")
	h.changes("OnPostWritten", "posts/p", post(true, ""), post(false, ""))
	if n, jobs := told(), len(h.later()); n != 0 || jobs != 1 {
		t.Errorf("%d people are told of a post that is shown beyond the hour, and %d jobs wait", n, jobs)
	}
	set(false, "photo")
	if used := h.changes("OnPostWritten", "posts/p", post(false, ""), post(false, "photo")); used.Reads > 20 {
		t.Errorf("another kind costs %v beyond the hour", used)
	}
	set(true, "photo")
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

// Who is told that a large post names them can read it, though a job still brings it to the followers.
func TestLargePostIsToldWhenItIsThere(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Notifications: true, Capacity: 1, InlineLimit: 1})
	a.Profile("bob", map[string]any{"name": "Bob"})
	for n := range 3 {
		a.Follow(fmt.Sprint("r", n), "ada")
		a.OK(a.Instance().Graph.Follow(t.Context(), "ada", fmt.Sprint("r", n)))
	}
	h := a.hourly(300)
	a.PostTo("p", "ada", "ada", time.Now(), "bob")
	h.changes("OnPostWritten", "posts/p", nil, map[string]any{"userId": "ada", "audience": "ada", "to": []string{"bob"}})
	if told, relations := a.Count("users/bob/notifications"), a.Count("_relations"); told != 1 || relations != 1 {
		t.Errorf("bob has %d notifications, and %d relations are there; want one, and the direct one", told, relations)
	}
	a.WantFeed("bob", "p")
}

// fill writes a document with these fields, as large as Firestore accepts.
func (a *app) fill(path string, fields map[string]any) {
	a.T.Helper()
	for n := 1<<20 - 89; n > 1<<20-1000; n -= 16 {
		fields["pad"] = strings.Repeat("x", n)
		if _, err := a.Client.Doc(path).Set(a.T.Context(), fields); status.Code(err) != codes.InvalidArgument {
			a.OK(err)
			return
		}
	}
	a.T.Fatalf("%s is rejected", path)
}

// A number that a full document of a server has no room for is reported once. No event comes again for it, and the rest of
// the event's work is done.
func TestNumberWithoutRoomIsReportedOnce(t *testing.T) {
	t.Parallel()
	post := map[string]any{"userId": "ada", "audience": "ada", "hidden": false}
	for name, c := range map[string]struct {
		full           string
		function, path string
		before         map[string]any
		after          map[string]any
	}{
		"a like":                 {"posts/p", "OnLikeWritten", "posts/p/likes/bob", nil, map[string]any{"userId": "bob", "postId": "p"}},
		"a comment":              {"posts/p", "OnCommentWritten", "posts/p/comments/c", nil, map[string]any{"userId": "bob", "thread": "ada/ada"}},
		"a post":                 {"users/ada", "OnPostWritten", "posts/p", nil, post},
		"a follow":               {"users/ada", "OnFollowerWritten", "users/ada/followers/bob", nil, map[string]any{}},
		"a follow by a full one": {"users/bob", "OnFollowerWritten", "users/ada/followers/bob", nil, map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := openApp(t, schema.Config{NoOwnPosts: true, Counts: true, Notifications: true})
			for path, fields := range map[string]map[string]any{"users/ada": {"name": "ada"}, "users/bob": {"name": "bob"}, "posts/p": post} {
				fields := maps.Clone(fields)
				if fields["createdAt"] = time.Now(); path == c.full {
					a.fill(path, fields)
				} else {
					a.Must(a.Client.Doc(path).Set(t.Context(), fields))
				}
			}
			if c.path != "posts/p" {
				fields := maps.Clone(c.after)
				fields["createdAt"] = firestore.ServerTimestamp
				a.Must(a.Client.Doc(c.path).Set(t.Context(), fields))
			}
			h := a.hourly(10)
			for range 3 {
				h.changes(c.function, c.path, c.before, c.after)
			}
			if n := strings.Count(h.log.String(), `"job failed"`); n != 1 {
				t.Errorf("it is reported %d times, want once:\n%s", n, h.log)
			}
			jobs, err := a.Instance().Engine.List(t.Context(), 10)
			if err != nil || len(jobs) != 1 || jobs[0].Kind != schema.KindDamage || jobs[0].State != chunker.Failed || jobs[0].Args[schema.ArgAuthor] == "" {
				t.Errorf("the jobs are %+v, %v; want one that names the account", jobs, err)
			}
			if n := a.Count("users/ada/notifications"); n != 1 && c.function != "OnPostWritten" {
				t.Errorf("%d notifications, want one", n)
			}
		})
	}
}
