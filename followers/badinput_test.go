//go:build long

package followers_test

import (
	"strings"
	"testing"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Two fields of a user document name the index documents. If they are damaged or
// missing, they are rebuilt from the index documents; no follower is lost.
func TestDamagedUserDocument(t *testing.T) {
	t.Parallel()
	set := func(fields map[string]any) func(*testkit.App) {
		return func(a *testkit.App) {
			a.Must(a.Client.Doc("users/author").Set(a.T.Context(), fields))
		}
	}
	for name, damage := range map[string]func(*testkit.App){
		"missing": func(a *testkit.App) { // as after a restore; where functions see it deleted, the account is
			a.Silence()
			a.Must(a.Client.Doc("users/author").Delete(a.T.Context()))
			a.Settle()
			a.Wake()
		},
		"empty":            set(map[string]any{}),
		"without fields":   set(map[string]any{"name": "Ada"}),
		"not an array":     set(map[string]any{"followers_index": "00001", "latestFollowersIndex": "00002"}),
		"of numbers":       set(map[string]any{"followers_index": []int{1, 2}, "latestFollowersIndex": "00002"}),
		"with a gap":       set(map[string]any{"followers_index": []string{"00001", "00003"}, "latestFollowersIndex": "00003"}),
		"latest is wrong":  set(map[string]any{"followers_index": []string{"00001", "00002"}, "latestFollowersIndex": "00003"}),
		"one too few":      set(map[string]any{"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"}),
		"one too many":     set(map[string]any{"followers_index": []string{"00001", "00002", "00003"}, "latestFollowersIndex": "00003"}),
		"without a latest": set(map[string]any{"followers_index": []string{"00001", "00002"}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, log := testkit.NewLoggedApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
			for _, r := range []string{"r1", "r2", "r3", "r4"} {
				a.Follow(r, "author")
			}
			a.Settle()
			damage(a)
			a.Follow("r5", "author")
			a.Settle()
			a.Post("p1", "author", stories.Day)
			a.Settle()
			for _, r := range []string{"r1", "r2", "r3", "r4", "r5"} {
				a.WantFeed(r, "p1")
			}
			if !strings.Contains(log.String(), "documents/users/author") {
				t.Errorf("the log does not name the user document: %s", log)
			}
			a.WantVerified()
		})
	}
}
