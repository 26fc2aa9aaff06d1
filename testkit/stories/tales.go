package stories

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// A reader follows, an author posts, edits and deletes, and the reader unfollows. Any event may come twice, at once or
// later: the documents stay the same.
func fromFollowToUnfollow(t *testing.T, m Machine) {
	for _, way := range []string{"once", twice} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1, CopiedFields: []string{"text"}})
			a.Profile("author", map[string]any{"name": "Ada"})
			a.Post("p1", "author", Day)
			a.Follow("r1", "author")
			a.Settle()
			a.Follow("r2", "author")
			a.Follow("r1", "other")
			a.Post("p2", "author", Day.Add(time.Hour))
			a.Post("p3", "other", Day.Add(2*time.Hour))
			a.Post("p4", "nobody follows", Day)
			a.Settle()
			a.WantFeed("r1", "p3", "p2", "p1")
			a.WantFeed("r2", "p2", "p1")
			a.WantVerified()

			// What clients rely on in the documents of functions.
			relation := map[string]any{
				"postId": "p1", "userId": "author", "audience": "author", "indexId": "00001", "indexVersion": a.Data("users/author/followers_index/00001")["version"],
				"followers": []any{"r1"}, "sizeBytes": int64(3), "createdAt": Day, "text": "text of p1",
			}
			edge := map[string]any{"indexId": "00001", "createdAt": a.Data("users/author/followers/r1")["createdAt"]}
			profile := map[string]any{"name": "Ada", "followers_index": []any{"00001", "00002"}, "latestFollowersIndex": "00002"}
			for path, want := range map[string]map[string]any{"_relations/p1_00001": relation, "users/r1/following/author": edge, "users/author": profile} {
				if diff := cmp.Diff(want, a.Data(path)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", path, diff)
				}
			}

			a.Edit("p1", firestore.Update{Path: "createdAt", Value: Day.Add(3 * time.Hour)}, firestore.Update{Path: "text", Value: "new"})
			a.Edit("p2", firestore.Update{Path: "text", Value: firestore.Delete})
			a.Settle()
			a.WantFeed("r1", "p1", "p3", "p2")
			for _, i := range []string{"_00001", "_00002"} {
				if first, second := a.Data("_relations/p1" + i)["text"], a.Data("_relations/p2" + i)["text"]; first != "new" || second != nil {
					t.Errorf("the relations have the texts %v and %v, want that p1 is new and p2 has none", first, second)
				}
			}
			a.DeletePost("p1")
			a.Unfollow("r2", "author")
			a.Settle()
			a.WantFeed("r1", "p3", "p2")
			a.WantFeed("r2")
			a.WantVerified()
			if stats := a.Stats(); way == twice && (stats.Duplicates != stats.Events || stats.Events == 0) {
				t.Errorf("%d duplicates of %d events, want all", stats.Duplicates, stats.Events)
			}
		})
	}
}

// A post to a group reaches the group's followers, not its author's, and those whom it names. It moves to another group, is
// hidden, and stays when the group is deleted.
func aPostToAGroup(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{Capacity: 2})
	a.Profile("friend", map[string]any{"name": "Friend"})
	for group, members := range map[string][]string{"g_a": {"m1", "m2", "m3"}, "g_b": {"m3", "m4"}} {
		a.Group(group, "boss")
		for _, member := range members {
			a.Follow(member, group)
		}
	}
	a.Follow("fan", "author")
	a.Settle()
	a.PostTo("ours", "author", "g_a", Day, "friend")
	want := func(sees ...string) {
		t.Helper()
		a.Settle()
		for _, reader := range []string{"author", "fan", "friend", "m1", "m2", "m3", "m4"} {
			var posts []string
			if slices.Contains(sees, reader) {
				posts = []string{"ours"}
			}
			a.WantFeed(reader, posts...)
		}
	}
	want("author", "friend", "m1", "m2", "m3")
	a.Follow("m4", "g_a")
	a.Unfollow("m1", "g_a")
	want("author", "friend", "m2", "m3", "m4")
	a.Edit("ours", firestore.Update{Path: "audience", Value: "g_b"})
	want("author", "friend", "m3", "m4")
	a.Edit("ours", firestore.Update{Path: "hidden", Value: true})
	want()
	a.Edit("ours", firestore.Update{Path: "hidden", Value: false})
	want("author", "friend", "m3", "m4")
	a.DeleteAccount("g_b")
	want("author", "friend")
	if a.Follows("m3", "g_b") {
		t.Error("somebody follows the deleted group")
	}
	a.WantVerified()
}

// aPage is a step so short that a job hands over after its first page.
const aPage = time.Nanosecond

func fanoutBeyondTheInlineLimitIsAJobOfSeveralHops(t *testing.T, m Machine) {
	const followers = 24
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 5, Chunk: 4, Step: aPage})
	for i := range followers {
		a.Follow(fmt.Sprintf("r%02d", i), "author")
	}
	a.Settle()
	a.Post("p1", "author", Day)
	a.Settle()
	for i := range followers {
		a.WantFeed(fmt.Sprintf("r%02d", i), "p1")
	}
	job := a.Job("post:p1~00001-")
	if job.State != chunker.Done || job.Done != followers || job.Hop < 3 {
		t.Errorf("job is %s after %d hops with %d documents done, want done after at least 3 with %d", job.State, job.Hop, job.Done, followers)
	}
	a.WantVerified()

	a.DeletePost("p1")
	a.Settle()
	if got := a.Count("_relations"); got != 0 {
		t.Errorf("%d relations of a deleted post", got)
	}
	a.WantVerified()
}

// A block ends the follows of both. When it ends, the follower may come back.
func aBlockEndsTheFollow(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true})
	a.Post("p1", "author", Day)
	a.Follow("troll", "author")
	a.Follow("friend", "author")
	a.Follow("author", "troll")
	a.Settle()

	a.Block("author", "troll")
	a.Block("author", "author") // is acknowledged, and changes nothing
	a.Settle()
	a.WantFeed("troll")
	a.WantFeed("friend", "p1")
	if a.Follows("troll", "author") || a.Follows("author", "troll") || !a.Follows("friend", "author") {
		t.Error("a block of troll has to end the follows between troll and author, and no other")
	}
	a.WantVerified()

	a.Unblock("author", "troll")
	a.Follow("troll", "author")
	a.Settle()
	a.WantFeed("troll", "p1")
	a.WantVerified()
}

// A follow by the account, or of the account, whose event comes after the purge, is removed.
func aFollowThatComesAfterThePurgeIsRemoved(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Profile("bob", map[string]any{"displayName": "Bob"})
	a.Follow("ada", "bob")
	a.Follow("bob", "ada")
	a.Post("p1", "bob", Day)
	a.Settle()
	a.DeleteAccount("ada")
	a.Settle()
	a.WantGone("ada")
	a.Follow("ada", "bob") // written late, by a client that was offline
	a.Follow("bob", "ada")
	a.Follow("eve", "ada")
	a.Follow("eve", "bob")
	a.Settle()
	a.WantGone("ada")
	a.WantVerified()
	a.WantFeed("eve", "p1")

	// The account is made again with the same id, and can follow.
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	a.Follow("ada", "bob")
	a.Follow("bob", "ada")
	a.Settle()
	a.WantVerified()
	a.WantFeed("ada", "p1")
	if got := a.Count("users/ada/followers_index"); got != 1 {
		t.Errorf("%d index documents of the new account, want 1", got)
	}
}

// The event of a job is lost for good: the job was written before the triggers existed. Sweep, called
// by Cloud Scheduler, runs the job.
func sweepRunsAJobWhoseEventWasLost(t *testing.T, m Machine) {
	a := Open(t, m)
	a.Must(a.Client.Doc("_functions/post:p1").Set(t.Context(), map[string]any{
		"kind": "relations.post", "args": map[string]any{"post": "p1"},
		"state": "queued", "hop": 1, "wakeAt": time.Now().Add(-time.Minute),
	}))
	a.Start(schema.Config{NoOwnPosts: true})
	if got, _ := a.Call(http.MethodGet, "Sweep"); got != http.StatusMethodNotAllowed {
		t.Errorf("GET is answered %d, want 405", got)
	}
	for _, want := range []string{`{"due":1,"woken":1,"failed":0,"newer":0}`, `{"due":0,"woken":0,"failed":0,"newer":0}`} {
		if status, body := a.Call(http.MethodPost, "Sweep"); status != http.StatusOK || strings.TrimSpace(body) != want {
			t.Errorf("Sweep answers %d %s, want %s", status, body, want)
		}
	}
	a.Settle()
	job, err := chunker.New(a.Client, chunker.Options{}).Get(t.Context(), "post:p1")
	if err != nil || job.State != chunker.Done || job.Hop != 2 {
		t.Errorf("job is %s at hop %d (%v), want done at 2", job.State, job.Hop, err)
	}
}
