package audit_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/audit/fill"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Posts of clients from before audiences, and what becomes of them.
var olderPosts, filledPosts = map[string]map[string]any{
	"posts/old":    {"userId": "ada", "createdAt": stories.Day},
	"posts/half":   {"userId": "ada", "audience": "g_team", "createdAt": stories.Day},
	"posts/hidden": {"userId": "ada", "hidden": true, "createdAt": stories.Day},
	"posts/new":    {"userId": "ada", "audience": "", "hidden": false, "createdAt": stories.Day},
	"posts/odd":    {"userId": "ada", "audience": int64(7), "hidden": "no", "createdAt": stories.Day},
	"posts/nobody": {"createdAt": stories.Day},
}, map[string]map[string]any{
	"posts/old":    {"userId": "ada", "audience": "ada", "hidden": false, "createdAt": stories.Day},
	"posts/half":   {"userId": "ada", "audience": "g_team", "hidden": false, "createdAt": stories.Day},
	"posts/hidden": {"userId": "ada", "audience": "ada", "hidden": true, "createdAt": stories.Day},
	"posts/new":    {"userId": "ada", "audience": "", "hidden": false, "createdAt": stories.Day},
	"posts/odd":    {"userId": "ada", "audience": int64(7), "hidden": "no", "createdAt": stories.Day},
	"posts/nobody": {"createdAt": stories.Day},
}

func wantPosts(a *testkit.App, want map[string]map[string]any) {
	a.T.Helper()
	got := a.Documents(a.Client.Collection("posts").Query)
	testkit.Same(a.T, "posts", want, got)
}

// Each post gets what it lacks and nothing else; the second time nothing is written, and a
// dry run writes nothing. The events of the writes read nothing.
func TestFillPosts(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	testkit.Write(t, a.Client, olderPosts)
	a.Settle()
	var progress int64
	run := func(o fill.Options, want fill.Filled) {
		t.Helper()
		o.Progress = func(posts int64) { progress = posts }
		filled, err := fill.Posts(t.Context(), a.Instance(), o)
		if err != nil || filled != want {
			t.Errorf("%+v, %v, want %+v", filled, err, want)
		}
	}
	run(fill.Options{DryRun: true}, fill.Filled{Posts: 6, Filled: 3, Bad: 1})
	wantPosts(a, olderPosts)
	before := a.Meter.Counts()
	run(fill.Options{}, fill.Filled{Posts: 6, Filled: 3, Bad: 1})
	wantPosts(a, filledPosts)
	a.Settle()
	if used := a.Meter.Counts().Minus(before); used.Requests != 0 {
		t.Errorf("the events cost %v", used)
	}
	run(fill.Options{}, fill.Filled{Posts: 6, Bad: 1})
	if progress != 6 {
		t.Errorf("progress to %d, want 6 posts", progress)
	}
}

// It is disturbed, and run again.
func TestFillPostsIsFinishedByTheNextRun(t *testing.T) {
	t.Parallel()
	testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
		Name: "posts from before audiences", Writes: 3, Reads: 1,
		Prepare: func(t *testing.T) *testkit.App {
			return testkit.CopyOf(t, schema.Config{NoOwnPosts: true, Parallel: 1}, olderPosts)
		},
		Act: func(a *testkit.App, p testkit.Process) error {
			_, err := fill.Posts(a.T.Context(), a.Instance(p.Interceptor), fill.Options{})
			return err
		},
		Check: func(a *testkit.App) { wantPosts(a, filledPosts) },
	})
}

// Concurrent client writes stay: an edit, another audience, a deletion.
func TestFillPostsWhileClientsWrite(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
	for _, p := range []string{"edited", "moved", "gone", "left"} {
		a.Post(p, "ada", stories.Day)
	}
	held := testkit.NewGate(t, func(req any) bool { _, commits := req.(*pb.CommitRequest); return commits })
	ended := make(chan error, 1)
	go func() {
		filled, err := fill.Posts(t.Context(), a.Instance(held.Interceptor()), fill.Options{})
		if err == nil && filled.Filled != 4 {
			err = fmt.Errorf("it says %+v", filled)
		}
		ended <- err
	}()
	held.Await()
	a.Edit("edited", firestore.Update{Path: "text", Value: "new"})
	a.Edit("moved", firestore.Update{Path: "audience", Value: "g_team"})
	a.DeletePost("gone")
	held.Open()
	testkit.NoError(t, <-ended)
	post := func(text, audience string) map[string]any {
		return map[string]any{"userId": "ada", "createdAt": stories.Day, "text": text, "audience": audience, "hidden": false}
	}
	wantPosts(a, map[string]map[string]any{
		"posts/edited": post("new", "ada"), "posts/moved": post("text of moved", "g_team"),
		"posts/left": post("text of left", "ada"),
	})
}
