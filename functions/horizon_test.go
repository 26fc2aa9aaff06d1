package functions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/runtime/config"
)

// wantKeeps checks which posts an audience keeps, newest first: each has a relation to each
// index document, and no other post has any.
func (a *app) wantKeeps(audience string, indexes int, want string) {
	a.T.Helper()
	docs, err := a.Client.Collection("_relations").Where("audience", "==", audience).Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	docs = slices.DeleteFunc(docs, func(doc *firestore.DocumentSnapshot) bool { return strings.HasSuffix(doc.Ref.ID, "_removed") })
	kept := make([][]string, indexes)
	slices.SortFunc(docs, func(x, y *firestore.DocumentSnapshot) int {
		return y.Data()["createdAt"].(time.Time).Compare(x.Data()["createdAt"].(time.Time))
	})
	for _, doc := range docs {
		var n int
		if _, err := fmt.Sscanf(doc.Data()["indexId"].(string), "%d", &n); err != nil || n > indexes {
			a.T.Fatalf("%s: %v", doc.Ref.Path, doc.Data()["indexId"])
		}
		kept[n-1] = append(kept[n-1], doc.Data()["postId"].(string))
	}
	for n, posts := range kept {
		if diff := cmp.Diff(want, strings.Join(posts, " ")); diff != "" {
			a.T.Errorf("posts to %s in index document %d (-want +got):\n%s", audience, n+1, diff)
		}
	}
}

// posts writes posts 1 to n of an author, an hour each after the other.
func (a *app) posts(author string, from, to int) {
	a.T.Helper()
	for n := from; n <= to; n++ {
		a.Post(fmt.Sprint("p", n), author, day.Add(time.Duration(n)*time.Hour))
		a.Settle()
	}
}

func TestAHorizonKeepsTheNewestPosts(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Horizon: 3, Capacity: 1, CopiedFields: []string{"text"}})
	a.Follow("r1", "ada")
	a.Settle()
	a.posts("ada", 1, 5)
	a.wantKeeps("ada", 1, "p5 p4 p3")
	a.Follow("r2", "ada") // a second index document
	a.Settle()
	a.wantKeeps("ada", 2, "p5 p4 p3")
	a.posts("ada", 6, 6)
	a.wantKeeps("ada", 2, "p6 p5 p4")

	a.Edit("p1", firestore.Update{Path: "text", Value: "edited"}) // it is not brought back
	a.Edit("p5", firestore.Update{Path: "text", Value: "edited"})
	a.Settle()
	a.wantKeeps("ada", 2, "p6 p5 p4")

	a.DeletePost("p6")
	a.Settle()
	a.wantKeeps("ada", 2, "p5 p4 p3")
	a.Edit("p4", firestore.Update{Path: "hidden", Value: true})
	a.Settle()
	a.wantKeeps("ada", 2, "p5 p3 p2")
	a.Edit("p4", firestore.Update{Path: "hidden", Value: false})
	a.Settle()
	a.wantKeeps("ada", 2, "p5 p4 p3")

	a.Edit("p5", firestore.Update{Path: "createdAt", Value: day}) // by a server
	a.Settle()
	a.wantKeeps("ada", 2, "p4 p3 p2")
	a.Edit("p1", firestore.Update{Path: "createdAt", Value: day.Add(100 * time.Hour)})
	a.Settle()
	a.wantKeeps("ada", 2, "p1 p4 p3")

	for _, p := range []string{"p1", "p2", "p3", "p4"} {
		a.DeletePost(p)
	}
	a.Settle()
	a.wantKeeps("ada", 2, "p5")
}

func TestABackfillBringsTheHorizon(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Horizon: 3, Capacity: 1})
	a.posts("ada", 1, 6)
	a.Group("g_team", "ada")
	a.PostTo("t1", "ada", "g_team", day.Add(10*time.Hour))
	a.Settle()
	for _, r := range []string{"r1", "r2", "r3"} {
		a.Follow(r, "ada")
		a.Follow(r, "g_team")
	}
	a.Settle()
	a.wantKeeps("ada", 3, "p6 p5 p4")
	a.wantKeeps("g_team", 3, "t1")

	// Posts move between audiences, and those behind take their places.
	a.Edit("p6", firestore.Update{Path: "audience", Value: "g_team"})
	a.Settle()
	a.wantKeeps("ada", 3, "p5 p4 p3")
	a.wantKeeps("g_team", 3, "t1 p6")
	for n, p := range []string{"p5", "p4"} {
		a.Edit(p, firestore.Update{Path: "audience", Value: "g_team"})
		a.Settle()
		a.wantKeeps("g_team", 3, []string{"t1 p6 p5", "t1 p6 p5"}[n])
	}
	a.wantKeeps("ada", 3, "p3 p2 p1")
}

// A deleted account leaves a group, and its members get the group's older posts.
func TestADeletedAccountsPostsAreReplaced(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Horizon: 2, Capacity: 1})
	a.Profile("eve", map[string]any{"name": "Eve"})
	a.Group("g_team", "ada")
	a.Follow("r1", "g_team")
	a.Follow("r2", "g_team")
	a.Settle()
	for n, author := range []string{"ada", "bob", "eve", "eve"} {
		a.PostTo(fmt.Sprint("t", n), author, "g_team", day.Add(time.Duration(n)*time.Hour))
		a.Settle()
	}
	a.wantKeeps("g_team", 2, "t3 t2")
	a.DeleteAccount("eve")
	a.Settle()
	a.wantKeeps("g_team", 2, "t1 t0")
	a.WantGone("eve")
}

// Where a post has more relations than a handler writes, jobs evict and bring back.
func TestJobsEvict(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Horizon: 2, Capacity: 1, InlineLimit: 1, Chunk: 3, Lane: 5})
	const followers = 14 // more than the inline limit of this horizon
	for n := range followers {
		a.Follow(fmt.Sprint("r", n), "ada")
	}
	a.Settle()
	a.posts("ada", 1, 4)
	a.wantKeeps("ada", followers, "p4 p3")
	a.DeletePost("p4")
	a.Settle()
	a.wantKeeps("ada", followers, "p3 p2")
}

// An author who writes to a group most of the time, or has hidden much, still has posts to
// their own followers.
func TestPostsToOthersHideNoneFromTheHorizon(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Horizon: 2, Capacity: 1})
	a.Group("g_team", "ada")
	for n := range 50 {
		audience, hour := "g_team", time.Duration(n)
		if n < 4 {
			audience = "ada"
		}
		a.PostTo(fmt.Sprintf("p%02d", n), "ada", audience, day.Add(hour*time.Hour))
	}
	a.Settle()
	a.Follow("r1", "ada")
	a.Settle()
	a.wantKeeps("ada", 1, "p03 p02")
	a.DeletePost("p03")
	a.Settle()
	a.wantKeeps("ada", 1, "p02 p01")
}

// A client deletes all posts that are kept at once. Each event finds that as many must be kept
// first, and some of them write the same relations: not all of them.
func TestManyDeletionsAtOnce(t *testing.T) {
	t.Parallel()
	const horizon = 20
	a := newHorizonApp(t, config.Functions{Horizon: horizon, Capacity: 2}, 6)
	a.history("author", 3*horizon)
	a.follow("author", 1, 1)
	used := a.cost(func() {
		batch := a.Client.BulkWriter(t.Context())
		for n := 2 * horizon; n < 3*horizon; n++ {
			_, err := batch.Delete(a.Client.Doc(fmt.Sprint("posts/p", n)))
			a.ok(err)
		}
		batch.End()
	})
	t.Logf("used %v", used)
	if got := a.kept("author"); got < horizon {
		t.Errorf("%d posts are kept", got)
	}
	if most := int64(4 * horizon); used.Writes > most {
		t.Errorf("%d writes, want at most %d", used.Writes, most)
	}
}
