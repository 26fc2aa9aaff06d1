package relations_test

import (
	"fmt"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// A post with an invalid audience or recipients reaches its other readers. The log has one line
// for each, and the event is not retried.
func TestInvalidAudiencesReachRemainingReaders(t *testing.T) {
	t.Parallel()
	a, log := testkit.NewLoggedApp(t, schema.Config{NoOwnPosts: true})
	a.Profile("g_team", map[string]any{"name": "Team", "ownerId": "author"})
	a.Follow("fan", "author")
	a.Follow("member", "g_team")
	a.Follow("other", "somebody")
	a.Settle()
	many := make([]string, schema.MaxRecipients+1)
	for n := range many {
		many[n] = fmt.Sprintf("r%03d", n)
	}
	for _, c := range []struct {
		what   string
		fields map[string]any
		sees   []string
		says   string // "": nothing is wrong
	}{
		{"a number for an audience", map[string]any{"audience": 7}, nil, "audience is not a string"},
		{"another person's followers", map[string]any{"audience": "somebody"}, nil, "audience is neither the author nor a group"},
		{"a group that is not there", map[string]any{"audience": "g_none"}, nil, ""},
		{"an audience with a slash", map[string]any{"audience": "g_a/b", "to": []string{"friend"}}, []string{"friend"}, "contains a slash"},
		{"101 recipients", map[string]any{"to": many}, []string{"fan"}, "to has 101 elements"},
		{"a number among the recipients", map[string]any{"to": []any{"friend", 7}}, []string{"fan", "friend"}, "to[1]"},
		{"a string for recipients", map[string]any{"to": "friend", "audience": "g_team"}, []string{"member"}, "to is not an array"},
		{"oneself", map[string]any{"to": []string{"author"}}, []string{"fan"}, ""},
		{"both", map[string]any{"to": 7, "audience": 7}, nil, "; to is not an array"},
		{"refs that are no array", map[string]any{"refs": 7}, []string{"fan"}, ""},
	} {
		log.Reset()
		post := map[string]any{"userId": "author", "createdAt": stories.Day}
		for name, value := range c.fields {
			post[name] = value
		}
		a.Must(a.Client.Doc("posts/p").Set(t.Context(), post))
		a.Settle()
		sees := map[string][]string{}
		for _, reader := range c.sees {
			sees[reader] = []string{"p"}
		}
		for _, reader := range []string{"fan", "member", "other", "friend", "author", "r000"} {
			a.WantFeed(reader, sees[reader]...)
		}
		if lines := strings.Count(log.String(), "\n"); c.says == "" && lines != 0 || c.says != "" && (lines != 1 || !strings.Contains(log.String(), c.says)) {
			t.Errorf("%s: the log says %q, want one line with %q", c.what, log, c.says)
		}
		a.DeletePost("p")
		a.Settle()
	}
	if stats := testkit.Machine(t).Emulator.Broker().Stats(a.ID); stats.Redeliveries != 0 {
		t.Errorf("%d redeliveries of what a retry cannot help", stats.Redeliveries)
	}
	if got := a.Count("_relations"); got != 0 {
		t.Errorf("%d relations are left", got)
	}
}

// Recipients cost a relation, and a read of each for a block. A post without recipients
// costs the same as before audiences: see TestFormulasOfPosts.
func TestCostOfRecipients(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]bool{"to alone": false, "and own posts": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: !own})
			a.Follow("fan", "author")
			a.Settle()
			to := []string{"r1", "r2", "r3"}
			plain := a.Used(func() {
				a.Must(a.Client.Doc("posts/plain").Set(t.Context(), map[string]any{"userId": "author", "createdAt": stories.Day}))
			})
			direct := a.Used(func() {
				a.Must(a.Client.Doc("posts/direct").Set(t.Context(), map[string]any{"userId": "author", "createdAt": stories.Day, "to": to}))
			})
			more := direct.Minus(plain)
			// Of one's own posts the plain one has a direct relation too: its post is read for it, and nobody's block.
			want := wire.Counts{Reads: int64(1 + len(to)), Writes: 1}
			if own {
				want = wire.Counts{Reads: int64(len(to))}
			}
			if more.Reads != want.Reads || more.Writes != want.Writes || more.Deletes != 0 {
				t.Errorf("3 recipients cost %v more, want %v", more, want)
			}
		})
	}
}

// Filling in a missing audience, or a missing mark, costs nothing but the client's
// write.
func TestAddedAudienceCostsNothing(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Follow("fan", "author")
	a.Post("p", "author", stories.Day)
	a.Settle()
	used := a.Used(func() {
		a.Edit("p", firestore.Update{Path: "audience", Value: "author"}, firestore.Update{Path: "hidden", Value: false})
	})
	if used.Requests != 0 {
		t.Errorf("it costs the functions %v, want nothing", used)
	}
	a.WantFeed("fan", "p")
}

// A post to a group with more index documents than a handler writes runs as jobs, whose ranges include
// the direct relation. Its change to another group and its hiding run as jobs too.
func TestPostToLargeGroupRunsAsJobs(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{Capacity: 1, InlineLimit: 2, Chunk: 2, Range: 3})
	for n := range 8 {
		a.Follow(fmt.Sprintf("old%d", n), "g_old")
		a.Follow(fmt.Sprintf("new%d", n), "g_new")
	}
	a.Settle()
	wantSeen := func(oldGroup, newGroup, direct bool) {
		t.Helper()
		want := func(reader string, sees bool) {
			t.Helper()
			if got := len(a.Feed(reader)); (got == 1) != sees {
				t.Errorf("%s sees %d posts, want it to be there: %v", reader, got, sees)
			}
		}
		for n := range 8 {
			want(fmt.Sprintf("old%d", n), oldGroup)
			want(fmt.Sprintf("new%d", n), newGroup)
		}
		want("author", direct)
		want("friend", direct)
	}
	a.PostTo("p", "author", "g_old", stories.Day, "friend")
	a.Settle()
	wantSeen(true, false, true)
	a.WantRanges("p", 3, 8)
	a.Edit("p", firestore.Update{Path: "audience", Value: "g_new"})
	a.Settle()
	wantSeen(false, true, true)
	a.Edit("p", firestore.Update{Path: "hidden", Value: true})
	a.Settle()
	wantSeen(false, false, false)
	a.Edit("p", firestore.Update{Path: "hidden", Value: false}, firestore.Update{Path: "audience", Value: ""})
	a.Settle()
	wantSeen(false, false, true)
	a.Edit("p", firestore.Update{Path: "audience", Value: "g_old"}, firestore.Update{Path: "to", Value: firestore.Delete})
	a.Settle()
	for n := range 8 {
		a.WantFeed(fmt.Sprintf("old%d", n), "p")
	}
	a.WantFeed("friend")
	a.WantVerified()
}

// A group that opens an index document backfills it with its posts, of any author, and with
// no others.
func TestBackfillOfAGroup(t *testing.T) {
	t.Parallel()
	for name, inline := range map[string]int{"in the event": 100, "by a job": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: inline, Chunk: 2})
			for n := range 4 {
				at := stories.Day.AddDate(0, 0, n)
				a.PostTo(fmt.Sprintf("team%d", n), fmt.Sprintf("author%d", n%2), "g_team", at)
				a.PostTo(fmt.Sprintf("mine%d", n), "author0", "author0", at)
				a.PostTo(fmt.Sprintf("none%d", n), "author0", "", at)
				a.PostTo(fmt.Sprintf("gone%d", n), "author1", "g_team", at)
				a.Edit(fmt.Sprintf("gone%d", n), firestore.Update{Path: "hidden", Value: true})
			}
			a.Must(a.Client.Doc("posts/own").Set(t.Context(), map[string]any{"userId": "g_team", "createdAt": stories.Day.AddDate(0, 0, 9)})) // a server's
			a.Settle()
			for _, f := range []string{"f1", "f2"} {
				a.Follow(f, "g_team")
				a.Follow(f+"x", "author0")
			}
			a.Settle()
			for _, f := range []string{"f1", "f2"} {
				a.WantFeed(f, "own", "team3", "team2", "team1", "team0")
				a.WantFeed(f+"x", "mine3", "mine2", "mine1", "mine0")
			}
			a.WantVerified()
		})
	}
}
