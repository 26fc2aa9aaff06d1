package accounts_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

var refNames = schema.Config{NoOwnPosts: true, RefFields: []string{"name=refNames"}}

// refer writes a post that refers to ids.
func refer(a *testkit.App, id string, refs ...any) {
	a.T.Helper()
	a.Must(a.Client.Doc("posts/"+id).Set(a.T.Context(), map[string]any{"userId": "author", "createdAt": stories.Day, "refs": refs}))
}

// wantRefNames checks a post's copies.
func wantRefNames(a *testkit.App, post string, want any) {
	a.T.Helper()
	testkit.Same(a.T, fmt.Sprintf("refNames of %s", post), want, a.Data("posts/" + post)["refNames"])
}

// A post that has no room for the copies reaches its readers without them, and other posts
// have theirs.
func TestPostWithoutRoomForRefFieldsIsSkipped(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, refNames)
	a.Profile("ada", map[string]any{"name": "Ada"})
	for _, post := range []string{"p0", "p1", "p2"} {
		refer(a, post, "ada")
	}
	w := a.Worker(0, testkit.Refusing(testkit.CommitOf("posts/p1")))
	if err := w.Index.Accounts.Sign(t.Context(), "p1"); err != nil {
		t.Errorf("the event would come again: %v", err)
	}
	a.OK(w.Index.Accounts.Profile(t.Context(), "ada", "1", ""))
	a.OK(w.Finish(a))
	wantRefNames(a, "p0", map[string]any{"ada": "Ada"})
	wantRefNames(a, "p1", nil)
	wantRefNames(a, "p2", map[string]any{"ada": "Ada"})
	if job := a.Job("profile:ada"); job.State != chunker.Done {
		t.Errorf("the job is %s with %v", job.State, job.Error)
	}
}

// A server gives a post to another author. The post gets that author's name.
func TestPostGivenToAnotherAuthorGetsTheirName(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, AuthorFields: []string{"name=authorName"}})
	a.Profile("ada", map[string]any{"name": "Ada"})
	a.Profile("bob", map[string]any{"name": "Bob"})
	a.Post("p", "ada", stories.Day)
	a.Settle()
	a.Edit("p", firestore.Update{Path: "userId", Value: "bob"})
	a.Settle()
	if got := a.Data("posts/p")["authorName"]; got != "Bob" {
		t.Errorf("the post is signed %v", got)
	}
}

// A post reads each account that it refers to once, and a rename reads and writes the posts
// that refer to the account.
func TestCostOfRefFields(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, refNames)
	index := a.Instance()
	for n := range 10 {
		a.Profile(fmt.Sprintf("u%d", n), map[string]any{"name": fmt.Sprintf("U%d", n), "bio": "x"})
	}
	refer(a, "none")
	refer(a, "two", "u0", "u1")
	refer(a, "ten", "u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9")
	meter := &wire.Meter{}
	metered := a.Instance(meter.Interceptor())
	used := func(do func()) wire.Counts {
		before := meter.Counts()
		do()
		return meter.Counts().Minus(before)
	}
	for post, refs := range map[string]int64{"none": 0, "two": 2, "ten": 10} {
		for _, writes := range []int64{min(refs, 1), 0} { // the second finds nothing to do
			c := used(func() {
				testkit.NoError(t, metered.Accounts.Sign(t.Context(), post))
			})
			if c.Reads != 1+refs || c.Writes != writes || c.Requests != 1+min(refs, 1)+writes {
				t.Errorf("%s: %v, want %d reads and %d writes", post, c, 1+refs, writes)
			}
		}
	}
	if err := index.Accounts.Sign(t.Context(), "gone"); err != nil {
		t.Errorf("a post that is gone: %v", err)
	}

	// Behind triggers: two posts refer to u1.
	a.Register()
	c := a.Used(func() { a.Profile("u1", map[string]any{"name": "One"}) })
	const (
		job    = 1 + 2 + 1 // looked up, claimed; a page
		posts  = 2
		events = posts * 1 // each post's, beside its refs: 2 and 10
		follow = 2 * 3     // relations of each post that changed: none, but looked for
	)
	t.Logf("a rename with two posts: %v", c)
	if c.Writes > posts+4 || c.Reads > job+posts+events+2+10+follow+6 {
		t.Errorf("a rename with two posts: %v", c)
	}
	if c := a.Used(func() { a.Profile("u1", map[string]any{"bio": "y"}) }); c.Requests != 0 {
		t.Errorf("a field that posts do not copy: %v", c)
	}
	if c := a.Used(func() { a.Edit("ten", firestore.Update{Path: "text", Value: "new"}) }); c.Requests != 0 {
		t.Errorf("an edit of text: %v", c)
	}
	wantRefNames(a, "two", map[string]any{"u0": "U0", "u1": "One"})
}

// The handlers of a post and of a rename run at once, late, twice and in any order. The last
// name stays.
func TestRefFieldsUnderAnyDelivery(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, refNames)
	a.Profile("ada", map[string]any{"name": "Ada"})
	refer(a, "p", "ada")
	a.Settle()
	a.Silence()
	// Sign has read the old name when the account is renamed and its job walks the posts.
	a.Edit("p", refsOf("ada", "eve"))
	a.Profile("eve", map[string]any{"name": "Eve"})
	gate := testkit.NewGate(t, func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && commit.GetTransaction() == nil
	})
	slow := a.Instance(gate.Interceptor())
	signed := make(chan error, 1)
	go func() { signed <- slow.Accounts.Sign(t.Context(), "p") }()
	gate.Await()
	a.Profile("eve", map[string]any{"name": "Eve 2"})
	a.Edit("p", firestore.Update{Path: "text", Value: "meanwhile"})
	gate.Open()
	a.OK(<-signed)
	wantRefNames(a, "p", map[string]any{"ada": "Ada", "eve": "Eve 2"})

	// An old event of ada's comes after that of the newest name, and again.
	a.Wake()
	a.Profile("ada", map[string]any{"name": "Ada 2"})
	a.Settle()
	old := schema.Generation(stories.Day)
	for range 2 {
		a.OK(a.Instance().Accounts.Profile(t.Context(), "ada", old, "late"))
		a.Settle()
		wantRefNames(a, "p", map[string]any{"ada": "Ada 2", "eve": "Eve 2"})
	}
	// A late event of a post that refers to something else by now.
	a.Edit("p", refsOf("eve"))
	a.Settle()
	for range 2 {
		a.OK(a.Instance().Accounts.Sign(t.Context(), "p"))
	}
	wantRefNames(a, "p", map[string]any{"eve": "Eve 2"})
}

func refsOf(ids ...any) firestore.Update { return firestore.Update{Path: "refs", Value: ids} }

// Nothing that a client can write to refs or refNames makes an event come again, keeps the
// author's fields from the post, or the post from its readers.
func TestDamagedRefsAreSkipped(t *testing.T) {
	t.Parallel()
	log := new(testkit.SyncBuffer)
	odd := testkit.Oddities(map[string]*pb.Value{"a database": testkit.ReferenceTo("projects/p/databases/d")})
	a := testkit.InProcess{Logger: logging.New(log, slog.LevelWarn), Interceptors: []wire.Interceptor{odd}}.NewApp(t, schema.Config{NoOwnPosts: true,
		AuthorFields: []string{"name=authorName"}, RefFields: []string{"name=refNames"},
	})
	a.Profile("author", map[string]any{"name": "Author"})
	a.Profile("ada", map[string]any{"name": "Ada"})
	a.Profile("mute", map[string]any{"bio": "no name"})
	a.Follow("fan", "author")
	a.Settle()
	damaged := map[string]any{
		"text": "ada", "number": []any{"ada", 7}, "many": append(manyIDs(10), "ada"), "undecodable": []any{"a database", "ada"}, "map": map[string]any{"ada": true},
	}
	names := func(n any) map[string]any { return map[string]any{"ada": n} }
	for id, refs := range damaged {
		a.Must(a.Client.Doc("posts/"+id).Set(t.Context(), map[string]any{"userId": "author", "createdAt": stories.Day, "refs": refs, "refNames": names("Old")}))
	}
	for id, before := range map[string]any{"wrong": "text", "null": nil, "odd": names("a database"), "fine": names("Ada")} {
		a.Must(a.Client.Doc("posts/"+id).Set(t.Context(), map[string]any{"userId": "author", "createdAt": stories.Day, "refs": []any{"ada", "ada", "", "__x__"}, "refNames": before}))
	}
	a.Must(a.Client.Doc("posts/nothing").Set(t.Context(), map[string]any{"userId": "author", "createdAt": stories.Day, "refs": []any{"mute"}, "refNames": "text"}))
	a.Settle()
	wantRefNames(a, "nothing", "text")
	a.Profile("ada", map[string]any{"name": "Ada L."})
	a.Settle()
	for id := range damaged {
		wantRefNames(a, id, names("Old"))
		if got := strings.Count(log.String(), "/posts/"+id+`"`); got == 0 || got > 3 { // its events, and the job's page
			t.Errorf("%s: %d lines in the log", id, got)
		}
		if got := a.Data("posts/" + id)["authorName"]; got != "Author" {
			t.Errorf("%s is signed %v", id, got)
		}
	}
	for _, id := range []string{"wrong", "null", "odd", "fine"} {
		wantRefNames(a, id, names("Ada L."))
	}
	if got := len(a.Feed("fan")); got != len(damaged)+5 {
		t.Errorf("the feed has %d posts, want %d", got, len(damaged)+5)
	}
	if strings.Contains(log.String(), `"severity":"ERROR"`) {
		t.Errorf("the log has errors: %s", log)
	}
}

func manyIDs(n int) (ids []any) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("r%d", i))
	}
	return ids
}
