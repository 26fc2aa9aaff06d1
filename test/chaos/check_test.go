//go:build long

package chaos

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

// start starts a system for a test.
func start(t *testing.T, cfg schema.Config) *processes.System {
	t.Helper()
	system, err := processes.Start(t.Context(), processes.Options{Project: "demo-chaos", Functions: cfg})
	if err != nil {
		t.Fatal("this test needs the Firestore emulator:", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(system.Close(), system.RemoveLogs()); err != nil {
			t.Error(err)
		}
	})
	return system
}

// recorded is a client of the system that writes down what it writes.
func recorded(t *testing.T, system *processes.System) (*firestore.Client, *oracle.History) {
	t.Helper()
	h := &oracle.History{}
	client, err := wire.OpenDatabase(t.Context(), "demo-chaos", "", system.FirestoreHost(), testkit.Record(h))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client, h
}

// found is what check reports. What damages the database is no client.
func found(t *testing.T, system *processes.System, h *oracle.History, users int) []string {
	t.Helper()
	var f findings
	if err := check(t.Context(), system.Client(), system.Config(), h, users, &f); err != nil {
		t.Fatal(err)
	}
	return f.shown
}

// writeAll creates accounts, applies operations and waits until their work is done. The account after the last one counts as
// deleted, as if nothing of it were left.
func writeAll(t *testing.T, system *processes.System, users int, ops ...clients.Op) *oracle.History {
	t.Helper()
	client, h := recorded(t, system)
	err := clients.CreateAccounts(t.Context(), client, users)
	w := &writers{open: client, report: t.Errorf}
	err = errors.Join(err, w.all(t.Context(), ops, 1, 100, func(int64) error { return nil }), system.Idle(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	h.Delete("users/"+clients.UserID(users), time.Now())
	return h
}

// A check that sees nothing would pass every run: each kind of damage is done
// to a sound system, and has to be told.
func TestDamageIsReported(t *testing.T) {
	parallel(t)
	system := start(t, Functions())
	const users = 4
	alice, bob, gone := clients.UserID(0), clients.UserID(1), clients.UserID(3)
	h := writeAll(t, system, users-1,
		clients.Op{Kind: clients.Follow, User: bob, Author: alice},
		clients.Op{Kind: clients.CreatePost, Author: alice, Audience: alice, Post: "post-1", At: day(1), Text: "one"},
		clients.Op{Kind: clients.CreatePost, Author: alice, Audience: alice, Post: "post-2", At: day(2), Text: "two"},
		clients.Op{Kind: clients.Reword, Author: alice, Post: "post-2", Text: "three"},
	)
	client := system.Client()
	found := func() []string { return found(t, system, h, users) }
	if got := found(); len(got) > 0 {
		t.Fatalf("differences of a sound system: %q", got)
	}
	// The documents have no triggers, so nothing mends them.
	damage := []struct {
		name, document string
		data           map[string]any // merged; nil: the document is deleted
		want           string
	}{
		{"a job given up", "_functions/j1", map[string]any{"state": chunker.Failed, "error": map[string]any{"message": "why"}}, "_functions/j1 failed: why"},
		{"a trace of an account in an array", "users/" + alice + "/followers_index/00001", map[string]any{
			"changes": []any{map[string]any{"version": 1, "add": []any{bob, gone}}},
		}, "users/" + alice + "/followers_index/00001 names " + gone},
		{"a trace of an account in a path", "users/" + gone + "/following/" + alice, map[string]any{"x": 1}, "users/" + gone + "/following/" + alice + " names " + gone},
		{"a feed of another text", "_relations/post-2_00001", map[string]any{"text": "two"}, "feed of " + bob},
		{"a feed without a post", "_relations/post-1_00001", nil, "post-1 (2026-01-01T00:00:00Z) is missing, though they follow " + alice},
		{"a group that names an account", "users/" + clients.GroupID(0), map[string]any{"ownerId": gone}, "users/" + clients.GroupID(0) + " names " + gone},
		{"a post that its author deleted", "posts/post-1", nil, "posts/post-1 is gone, and nobody deleted it"},
		{"an invariant", "users/" + bob + "/following/" + alice, nil, "edge is missing"},
	}
	for _, d := range damage {
		t.Run(d.name, func(t *testing.T) {
			ref := client.Doc(d.document)
			var err error
			if d.data == nil {
				_, err = ref.Delete(t.Context())
			} else {
				_, err = ref.Set(t.Context(), d.data, firestore.MergeAll)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := found(); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, d.want) }) {
				t.Errorf("reported %q, want %q", got, d.want)
			}
		})
	}
}

func TestUnusedTransactionsAreFound(t *testing.T) {
	l := newLocks()
	now := time.Now()
	begin := func(id string, used time.Time) { l.open[id] = &transaction{used: used} }
	begin("lately used", now)
	begin("long unused", now.Add(-2*idleTransaction))
	begin("in a long call", now.Add(-2*idleTransaction))
	end := l.use([]byte("in a long call"))
	l.use([]byte("unknown"))()

	if idle := l.idle(now); len(idle) != 1 || idle["long unused"] == nil {
		t.Errorf("idle: %v, want the one that is unused", idle)
	}
	end()
	end() // a stream may end twice
	if idle := l.idle(now); len(idle) != 0 {
		t.Errorf("idle right after a call: %v", idle)
	}
	if idle := l.idle(time.Now().Add(2 * idleTransaction)); len(idle) != 2 {
		t.Errorf("idle later: %v, want the two that are left", idle)
	}
}

const openRules = `rules_version = '2';
service cloud.firestore { match /databases/{database}/documents { match /{document=**} { allow read, write; } } }`

// Where rules let everything through, each forbidden write is reported.
func TestForbiddenWritesThatRulesAllowAreReported(t *testing.T) {
	parallel(t)
	system := start(t, Functions())
	client, err := wire.OpenUnderRules(t.Context(), "demo-chaos", system.FirestoreHost())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	writeAll(t, system, 1, clients.Op{Kind: clients.CreatePost, Author: clients.UserID(0), Post: "post-1", At: day(1), Text: "one"})
	var found findings
	w, all := &writers{underRules: client, report: found.report}, clients.ForbiddenWrites()
	try := func() {
		for _, what := range all {
			if err := w.patiently(t.Context(), clients.Op{Kind: clients.Forbidden, User: clients.UserID(0), Post: "post-1", Text: what}); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	try()
	if n := w.refused.Load(); int(n) != len(all) || found.differences > 0 {
		t.Errorf("under our rules %d of %d are refused; reported: %q", n, len(all), found.shown)
	}
	testkit.SetRules(t, system.FirestoreHost(), "demo-chaos", []byte(openRules))
	try()
	for _, what := range all {
		if !slices.ContainsFunc(found.shown, func(s string) bool {
			return strings.HasSuffix(s, ": the rules let it through") && strings.Contains(s, what)
		}) {
			t.Errorf("%s: let through and not reported; reported: %q", what, found.shown)
		}
	}
}
