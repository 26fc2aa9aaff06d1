package functions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/assembly"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/internal/testkit"
)

// adas is ada's app, at rest, without events: two fans in index documents of
// their own, two posts, a follow of star.
func adas(t *testing.T, cfg config.Functions) *app {
	cfg.Capacity = 1
	a := newApp(t, cfg)
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("ada", "star")
	a.Post("of star", "star", day)
	for n := range 2 {
		a.Follow(fmt.Sprintf("fan%d", n), "ada")
		a.Post(fmt.Sprintf("p%d", n), "ada", day.Add(time.Duration(n)*time.Hour))
	}
	a.Settle()
	a.Silence()
	return a
}

// purgeHeld deletes ada's account, and returns when its purge is held at the first
// call that matches, with how the purge ends once the gate is open. Interceptors see its calls.
func (a *app) purgeHeld(match func(any) bool, interceptors ...wire.Interceptor) (held *gate, purged <-chan error) {
	a.T.Helper()
	held = newGate(a.T, match)
	ended := make(chan error, 1)
	a.DeleteAccount("ada")
	go func() { ended <- a.worker(0, append(interceptors, held.interceptor())...).purge(a, "ada") }()
	held.await()
	return held, ended
}

// events gives the events of follows, as they come again and again, until all are
// acknowledged.
func (a *app) events(x *assembly.System, follows ...[2]string) {
	a.T.Helper()
	for _, f := range follows {
		if err := x.Graph.Follow(a.T.Context(), f[0], f[1]); err != nil {
			a.T.Errorf("the event of %s's follow of %s: %v", f[1], f[0], err)
		}
	}
}

// listOf matches the query over a collection that takes the documents.
func listOf(collection string) func(any) bool {
	matches := queryOf(collection)
	return func(req any) bool {
		q, ok := req.(*pb.RunQueryRequest)
		return ok && matches(req) && q.GetTransaction() == nil
	}
}

// Whenever the account comes back: from the receipt on, its graph goes to the end.
// Who follows it now does, and nobody else; its posts are spared where it was back
// before they went.
func TestAnAccountThatComesBackInTheMiddleOfItsPurge(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.CasesByName(t, map[string]struct {
		held  func(any) bool
		posts int
	}{
		"its follows are ending":           {commitOf("users/star/followers/ada"), 2},
		"its followers are going":          {commitOf("users/ada/followers/"), 2},
		"its index documents are going":    {commitOf("users/ada/followers_index/"), 2},
		"its relations are going":          {commitOf("_relations/p"), 2},
		"its posts are about to be found":  {listOf("posts"), 2},
		"its blocks are about to be found": {listOf("blocked"), 0},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := adas(t, config.Functions{})
			held, purged := a.purgeHeld(c.held)
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			a.Follow("new", "ada")
			a.Follow("ada", "other")
			early := a.Instance()
			if err := early.Graph.Follow(t.Context(), "ada", "new"); err != nil && !strings.Contains(err.Error(), "created again during its purge") {
				t.Error("the follow's event while the purge is under way:", err)
			}
			a.events(early, [2]string{"other", "ada"})
			held.open()
			if err := <-purged; err != nil {
				t.Fatal(err)
			}
			a.events(a.Instance(), [2]string{"ada", "new"})
			if got := a.Count("posts") - 1; got != c.posts {
				t.Errorf("%d posts are spared of %d", got, c.posts)
			}
			for n := range 2 {
				fan := fmt.Sprintf("fan%d", n)
				if follows, sees := a.Follows(fan, "ada"), len(a.Feed(fan)) > 0; follows || sees {
					t.Errorf("%s follows: %t, sees a post: %t", fan, follows, sees)
				}
			}
			if !a.Follows("new", "ada") || len(a.Feed("new")) != c.posts {
				t.Errorf("new follows: %t, sees %q", a.Follows("new", "ada"), a.Feed("new"))
			}
			if !a.Follows("ada", "other") {
				t.Error("the follow by the account that is back has gone")
			}
			if got := a.Data("users/ada")["displayName"]; got != "Ada II" {
				t.Errorf("the profile that is back has the name %v", got)
			}
			a.WantVerified()
		})
	}
}

// An index document that is opened anew begins at the version that its
// namesake's job was done with: it has a job all the same.
func TestAnIndexDocumentOfTheNewLifeHasAJobOfItsOwn(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{InlineLimit: 1})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	for n := range 2 {
		a.Post(fmt.Sprintf("p%d", n), "ada", day.Add(time.Duration(n)*time.Hour))
	}
	a.Follow("fan", "ada")
	a.Settle()
	a.WantFeed("fan", "p1", "p0")
	a.Silence()
	held, purged := a.purgeHeld(commitOf("users/ada/followers_index/"))
	a.Profile("ada", map[string]any{"displayName": "Ada II"})
	a.Follow("new", "ada")
	held.open()
	if err := <-purged; err != nil {
		t.Fatal(err)
	}
	a.events(a.Instance(), [2]string{"ada", "new"})
	if err := a.worker(0).finish(a); err != nil {
		t.Fatal(err)
	}
	a.WantFeed("new", "p1", "p0")
	a.WantVerified()
}

// A step hangs at its first list, or at a write that no transaction guards, until
// another has ended the purge and the account has a new life.
func TestAStepOfAPurgeThatComesTooLateRemovesNothing(t *testing.T) {
	t.Parallel()
	for name, match := range testkit.CasesByName(t, map[string]func(any) bool{
		"follows":           listOf("following"),
		"a follow":          deleteOf("users/star/followers/ada"),
		"followers":         listOf("followers"),
		"index documents":   listOf("followers_index"),
		"an index document": deleteOf("users/ada/followers_index/00002"),
		"relations":         listOf("_relations"),
		"a relation":        commitOf("_relations/p"),
		"posts":             listOf("posts"),
		"blocks":            listOf("blocked"),
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := adas(t, config.Functions{})
			a.DeleteAccount("ada")
			held := newGate(t, match)
			late := make(chan error, 1)
			go func() { late <- a.worker(0, held.interceptor()).purge(a, "ada") }()
			held.await()
			if err := a.worker(2 * time.Minute).finish(a); err != nil {
				t.Fatal(err)
			}
			a.WantGone("ada")
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			a.Follow("fan0", "ada")
			a.Follow("new", "ada")
			a.Follow("ada", "star")
			a.Post("p0", "ada", day)
			a.Block("ada", "troll")
			x := a.Instance()
			a.events(x, [2]string{"ada", "fan0"}, [2]string{"ada", "new"}, [2]string{"star", "ada"})
			if err := x.Deliveries.Post(t.Context(), "p0"); err != nil {
				t.Fatal(err)
			}
			a.WantVerified()
			before := testkit.Documents(t, a.Client, nil)
			held.open()
			if err := <-late; err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(before, testkit.Documents(t, a.Client, nil)); diff != "" {
				t.Errorf("the late step changed (-want +got):\n%s", diff)
			}
		})
	}
}

// A step is about to delete a post that it has listed. The account is back, and the
// post is spared by the step that took over, or that is the same one.
func TestAPurgeSparesThePostsOfAnAccountThatIsBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		finish bool // another step ends the purge
	}{
		"while its step hangs for longer than its lease": {true},
		"while its step is at work":                      {false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := adas(t, config.Functions{Parallel: 1})
			held, purged := a.purgeHeld(afterList("posts"))
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			if c.finish {
				if err := a.worker(2 * time.Minute).finish(a); err != nil {
					t.Fatal(err)
				}
			}
			held.open()
			if err := <-purged; err != nil {
				t.Error(err)
			}
			if got := a.Count("posts") - 1; got != 2 {
				t.Errorf("%d posts are spared of 2", got)
			}
			for _, post := range []string{"p0", "p1"} { // their events may come again at any time
				if err := a.Instance().Deliveries.Post(t.Context(), post); err != nil {
					t.Error(err)
				}
			}
			a.WantVerified()
		})
	}
}

// A follow that is made again at the moment at which the purge ends it is one of
// the account that is back.
func TestAFollowThatIsMadeAgainWhileThePurgeEndsIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		held             func(any) bool
		follower, author string
	}{
		"of the account": {commitOf("users/ada/followers/"), "fan1", "ada"},
		"by the account": {commitOf("users/star/followers/ada"), "ada", "star"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := adas(t, config.Functions{})
			held, purged := a.purgeHeld(c.held)
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			a.Unfollow(c.follower, c.author)
			a.Follow(c.follower, c.author) // its event finds the edge of before, and has nothing to do
			if err := a.Instance().Graph.Follow(t.Context(), c.author, c.follower); err != nil && !strings.Contains(err.Error(), "created again during its purge") {
				t.Error(err)
			}
			held.open()
			if err := <-purged; err != nil {
				t.Fatal(err)
			}
			if follows, sees := a.Follows(c.follower, c.author), len(a.Feed(c.follower)) > 0; !follows || !sees {
				t.Errorf("%s follows: %t, sees a post: %t", c.follower, follows, sees)
			}
			a.WantVerified()
		})
	}
}

// The purge has listed a post that is given to somebody else before it goes.
func TestAPurgeLeavesTheJobOfAPostThatIsAnothersByNow(t *testing.T) {
	t.Parallel()
	a := adas(t, config.Functions{})
	engine := chunker.New(a.Client, chunker.Options{})
	if err := engine.Enqueue(t.Context(), chunker.Spec{ID: "post:p0", Kind: "relations.post"}); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Cancel(t.Context(), "post:p0"); err != nil {
		t.Fatal(err)
	}
	held, purged := a.purgeHeld(func(req any) bool { return commitOf("posts/p0")(req) || commitOf("_functions/post:p0")(req) })
	a.Edit("p0", firestore.Update{Path: "userId", Value: "bob"})
	held.open()
	if err := <-purged; err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Get(t.Context(), "post:p0"); err != nil {
		t.Error("bob's post has lost its job:", err)
	}
	if got := a.Data("posts/p0")["userId"]; got != "bob" {
		t.Errorf("the post is %v's, want bob's", got)
	}
}

// A post's event has seen that ada's relation will take the place of bob's, and
// then ada's index document goes: bob's relation has to go all the same.
func TestAPostBecomesThatOfAnAccountInTheMiddleOfItsPurge(t *testing.T) {
	t.Parallel()
	a := adas(t, config.Functions{KeepPosts: true})
	x := a.Instance()
	a.Follow("reader", "bob")
	a.Post("p", "bob", day)
	a.events(x, [2]string{"bob", "reader"})
	if err := x.Deliveries.Post(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	a.WantFeed("reader", "p")
	a.Edit("p", firestore.Update{Path: "userId", Value: "ada"})
	held := newGate(t, readOf("posts/p"))
	event := make(chan error, 1)
	go func() { event <- a.Instance(held.interceptor()).Deliveries.Post(t.Context(), "p") }()
	held.await()
	a.DeleteAccount("ada")
	if err := a.worker(0).purge(a, "ada"); err != nil {
		t.Fatal(err)
	}
	held.open()
	if err := <-event; err != nil {
		t.Fatal(err)
	}
	a.WantFeed("reader")
	a.WantVerified()
}

// What failed before the purge says whose document it failed at.
func TestAFailedJobDoesNotNameItsAuthorForEver(t *testing.T) {
	t.Parallel()
	a := adas(t, config.Functions{})
	a.Must(a.Client.Doc("_functions/post:gone").Set(t.Context(), map[string]any{
		"kind": "relations.post", "state": "failed", "args": map[string]any{"post": "gone"},
		"error": map[string]any{"code": "InvalidArgument", "message": "job post:gone: users/ada/followers_index/00001 is full", "at": day},
	}))
	a.Must(a.Client.Doc("_functions/post:other").Set(t.Context(), map[string]any{
		"kind": "relations.post", "state": "failed", "args": map[string]any{"post": "other"},
		"error": map[string]any{"code": "InvalidArgument", "message": "users/adam is a name that begins alike", "at": day},
	}))
	a.DeleteAccount("ada")
	if err := a.worker(0).purge(a, "ada"); err != nil {
		t.Fatal(err)
	}
	a.WantGone("ada")
	if job := a.Job("post:gone"); job.State != chunker.Failed || job.Error.Code != "InvalidArgument" {
		t.Errorf("the job is %s with %v, want failed, and why in a word", job.State, job.Error)
	}
	if got := a.Job("post:other").Error.Message; got != "users/adam is a name that begins alike" {
		t.Errorf("another's job says %q", got)
	}
}

// The graph of an account that is back goes, and with it the relations of its posts. Those
// that are spared reach groups and recipients again, whom that graph does not concern.
func TestSparedPostsReachGroupsAndRecipients(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.CasesByName(t, map[string]struct {
		held     func(any) bool
		inline   int // 1: jobs have brought the posts
		parallel int
	}{
		"its index documents are about to be found":                                 {listOf("followers_index"), 100, 0},
		"its relations are going":                                                   {commitOf("_relations/p"), 100, 0},
		"its posts are about to be found":                                           {listOf("posts"), 100, 0},
		"its relations are going, of jobs":                                          {commitOf("_relations/p"), 1, 0},
		"its posts are about to be found, by a process that does one thing at once": {listOf("posts"), 100, 1},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{Chunk: 2, InlineLimit: c.inline, Parallel: c.parallel})
			a.Profile("ada", map[string]any{"displayName": "Ada"})
			a.Group("g_team", "boss")
			a.Follow("mate", "g_team")
			var posts []string
			for n := range 5 {
				posts = append([]string{fmt.Sprintf("p%d", n)}, posts...)
				a.PostTo(posts[0], "ada", "g_team", day.Add(time.Duration(n)*time.Hour), "friend")
			}
			a.Settle()
			a.Silence()
			gate, purged := a.purgeHeld(c.held)
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
			gate.open()
			if err := <-purged; err != nil {
				t.Fatal(err)
			}
			a.WantFeed("mate", posts...)
			a.WantFeed("friend", posts...)
			a.WantVerified()
		})
	}
}
