package audit_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"example.com/relationindex/audit/sample"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// Numbers and notifications that nobody has heard of, or that something else has written, are found, for all and for one account, and
// repaired. What is older than 90 days is not told.
func TestRepairOfTallies(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Counts: true, Notifications: true})
	now := time.Now()
	documents := map[string]map[string]any{
		"users/eve":                          {"name": "eve", "counts": map[string]any{"posts": 7, "following": "many"}},
		"users/ann":                          {"name": "ann", "counts": 5},
		"users/eve/requests/ann":             {"followerId": "ann", "createdAt": now},
		"users/eve/requests/bob":             {"followerId": "bob", "createdAt": now.AddDate(0, 0, -100)},
		"users/ann/requests/bob":             {"followerId": "bob", "createdAt": now.AddDate(0, 0, -100)},
		"users/eve/notifications/like.gone":  {"verb": "like", "object": "gone", "count": 1},
		"users/eve/notifications/like.p":     {"verb": "like", "object": "p", "count": 3, "actors": "none"},
		"users/eve/notifications/strange":    {"count": 1},
		"posts/p":                            {"userId": "eve", "audience": "eve", "hidden": false, "createdAt": now, "to": []string{"ann"}},
		"posts/p/likes/ann":                  {"userId": "ann", "createdAt": now},
		"posts/p/comments/c":                 {"userId": "ann", "thread": "eve/eve", "createdAt": now},
		"posts/old":                          {"userId": "eve", "audience": "eve", "hidden": false, "createdAt": now.AddDate(-1, 0, 0), "to": []string{"ann"}},
		"posts/old/likes/ann":                {"userId": "ann", "createdAt": now.AddDate(-1, 0, 0)},
		"users/eve/notifications/comment.ol": {"verb": "comment", "object": "ol", "expireAt": now.Add(-time.Minute)}, // Firestore is about to delete it
	}
	testkit.Write(t, a.Client, documents)
	a.Follow("ann", "eve")
	a.OK(a.Instance().Graph.Follow(t.Context(), "eve", "ann"))
	want := []string{
		"posts/old", "posts/p", "posts/p", "users/ann", "users/ann", "users/ann", "users/ann/notifications/" + a.Instance().DB.NotificationOf("ann", "mention", "eve").ID, "users/eve", "users/eve", "users/eve",
		"users/eve/notifications/comment.p", "users/eve/notifications/follow." + now.UTC().Format(time.DateOnly), "users/eve/notifications/like.gone",
		"users/eve/notifications/like.p", "users/eve/notifications/request.",
	}
	var found []string
	for _, v := range a.Violations() {
		if v.Invariant == 6 {
			found = append(found, v.Document)
		} else if v.Invariant != 3 { // nobody has heard of the posts either
			t.Error(v)
		}
	}
	slices.Sort(found)
	testkit.Same(t, "verify", want, found)
	var sampled []string
	_, err := sample.Run(t.Context(), a.Instance(), sample.Options{Reads: 10_000, Wait: func(context.Context, time.Duration) error { return nil }, Report: func(f sample.Finding) {
		if f.Violation.Invariant == 6 {
			sampled = append(sampled, f.Document)
		}
	}})
	a.OK(err)
	slices.Sort(sampled)
	testkit.Same(t, "a sample", want, sampled)
	for _, author := range []string{"eve", ""} {
		a.Repair(author)
	}
	a.WantVerified()
	numbers := func(path string) string { // that are not 0: repairs run side by side, and the first writes its own
		counts, _ := a.Data(path)["counts"].(map[string]any)
		maps.DeleteFunc(counts, func(_ string, n any) bool { return n == int64(0) })
		return fmt.Sprint(counts)
	}
	likes, following := numbers("posts/p"), numbers("users/ann")
	if likes != "map[comments:1 likes:1]" || following != "map[following:1]" {
		t.Errorf("the post has %s, the account %s", likes, following)
	}
	if _, used := a.Repair(""); used.Writes+used.Deletes > 0 {
		t.Errorf("a second repair wrote %v", used)
	}
}
