//go:build long

package processes_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/emulator"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/local/site"
)

// startWeb starts a system that serves the app.
func startWeb(t *testing.T, o processes.Options) *processes.System {
	t.Helper()
	o.Web = true
	system, err := processes.Start(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal("these tests need the Firestore emulator:", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(system.Close(), system.Close(), system.RemoveLogs()); err != nil {
			t.Error(err)
		}
		<-system.Done()
	})
	return system
}

// stream is GET /dev/actions as an EventSource reads it.
type stream struct {
	t      *testing.T
	lines  *bufio.Scanner
	actual map[int64]site.Action // by id, as last sent
}

func openStream(t *testing.T, system *processes.System) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a stream has no end
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, system.WebURL()+"/dev/actions", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("the stream of actions: %s, %s", resp.Status, got)
	}
	return &stream{t, bufio.NewScanner(resp.Body), map[int64]site.Action{}}
}

// next is the next action that is done, which is not the one with the id after.
func (s *stream) next(after int64) site.Action {
	s.t.Helper()
	for s.lines.Scan() {
		text, ok := strings.CutPrefix(s.lines.Text(), "data: ")
		if !ok {
			continue
		}
		var action site.Action
		if err := json.Unmarshal([]byte(text), &action); err != nil {
			s.t.Fatalf("%q: %v", text, err)
		}
		s.actual[action.ID] = action
		if action.Done && action.ID > after {
			return action
		}
	}
	s.t.Fatal("the stream ended:", s.lines.Err())
	return site.Action{}
}

// do does something in the idle system, and returns what it came to.
func (s *stream) do(what func()) site.Action {
	s.t.Helper()
	last := int64(0)
	for id := range s.actual {
		last = max(last, id)
	}
	what()
	action := s.next(last)
	if action.ID != last+1 {
		s.t.Errorf("action %d follows %d: it was not one", action.ID, last)
	}
	return action
}

func remove(t *testing.T, doc *firestore.DocumentRef) {
	t.Helper()
	if _, err := doc.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
}

var serverTime = map[string]any{"createdAt": firestore.ServerTimestamp}

// One write of a person is one action, and its operations are those of ARCHITECTURE.md and of functions/cost_test.go. Sweep
// and Feed are called all the time, and are in no action.
func actionCosts(t *testing.T, system *processes.System) {
	const n = 7 // posts
	client := system.Client()
	for i := range n {
		set(t, client.Doc(fmt.Sprintf("posts/p%d", i)), map[string]any{"userId": "ada", "createdAt": time.Now()})
	}
	set(t, client.Doc("users/ada/followers/first"), serverTime)
	readFeeds(t, system)
	wantIdle(t, system)
	s := openStream(t, system)
	for { // the story so far
		if action := s.next(0); action.ID > 0 && idleSince(t, system, action) {
			break
		}
	}
	for _, step := range []struct {
		name                           string
		do                             func()
		what                           site.Cause
		events, reads, writes, deletes int64
	}{
		{"a follow", func() { set(t, client.Doc("users/ada/followers/bob"), serverTime) },
			site.Cause{Function: "OnFollowerWritten", Document: "users/ada/followers/bob", Change: emulator.Created}, 1, n + 7, n + 2, 0},
		{"an unfollow", func() { remove(t, client.Doc("users/ada/followers/bob")) },
			site.Cause{Function: "OnFollowerWritten", Document: "users/ada/followers/bob", Change: emulator.Deleted}, 1, n + 5, n + 3, 1},
		{"a post", func() {
			set(t, client.Doc("posts/new"), map[string]any{"userId": "ada", "createdAt": time.Now(), "text": "a"})
		},
			site.Cause{Function: "OnPostWritten", Document: "posts/new", Change: emulator.Created}, 1, 1 + 5, 1, 0},
		{"an edit of a copied field", func() {
			set(t, client.Doc("posts/new"), map[string]any{"userId": "ada", "createdAt": time.Now(), "text": "b"})
		},
			site.Cause{Function: "OnPostWritten", Document: "posts/new", Change: emulator.Updated}, 1, 1 + 4, 1, 0},
		{"the deletion of a post", func() { remove(t, client.Doc("posts/new")) },
			site.Cause{Function: "OnPostWritten", Document: "posts/new", Change: emulator.Deleted}, 1, 1 + 4, 0, 1}, // the last two find no comments and no likes
	} {
		got := s.do(step.do)
		want := site.Action{ID: got.ID, At: got.At, What: []site.Cause{step.what}, Events: step.events, Invocations: step.events,
			Reads: step.reads, Writes: step.writes, Deletes: step.deletes, DurationMs: got.DurationMs, Done: true}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		if ago := time.Since(got.At); ago < 0 || ago > time.Minute || got.DurationMs < 1 || got.DurationMs > time.Minute.Milliseconds() {
			t.Errorf("%s began %v ago and took %d ms", step.name, ago, got.DurationMs)
		}
	}
	t.Run("what the functions write is no cause", func(t *testing.T) {
		for i := range 3 {
			set(t, client.Doc(fmt.Sprintf("users/bob/followers/f%d", i)), serverTime)
		}
		wantIdle(t, system)
		set(t, client.Doc("users/bob"), map[string]any{"name": "Bob"})
		wantIdle(t, system)
		for !idleSince(t, system, s.next(0)) {
			continue
		}
		got := s.do(func() { remove(t, client.Doc("users/bob")) })
		if want := []site.Cause{{Function: "OnUserDeleted", Document: "users/bob", Change: emulator.Deleted}}; !cmp.Equal(want, got.What) || got.More != 0 {
			t.Errorf("the purge was caused by %v and %d more, want %v", got.What, got.More, want)
		}
		if got.Events < 3 || got.Invocations != got.Events || got.Deletes == 0 {
			t.Errorf("the purge: %+v; want the events of its job and of three follows", got)
		}
	})
	t.Run("many at once are one action, of which a few are named", func(t *testing.T) {
		got := s.do(func() {
			batch := client.Batch() //nolint:staticcheck // one commit is what this is about
			for i := range 9 {
				batch.Set(client.Doc(fmt.Sprintf("users/ada/followers/m%d", i)), serverTime)
			}
			if _, err := batch.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		if len(got.What) != 5 || got.More != 4 || got.Events != 9 {
			t.Errorf("nine follows: %+v", got)
		}
	})
}

// readFeeds signs somebody up who reads their feed from now on until the test ends.
func readFeeds(t *testing.T, system *processes.System) {
	t.Helper()
	resp, err := http.Post("http://"+system.AuthHost()+"/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo", "application/json",
		strings.NewReader(`{"email":"eve@example.com","password":"secret-1","returnSecureToken":true}`))
	if err != nil {
		t.Fatal("this test needs the Auth emulator:", errors.Join(err, system.NoAuth()))
	}
	defer resp.Body.Close()
	var account struct{ IDToken string }
	if err := json.NewDecoder(resp.Body).Decode(&account); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tick := time.NewTicker(20 * time.Millisecond) // several times in each action
	var reading sync.WaitGroup
	t.Cleanup(func() { cancel(); reading.Wait(); tick.Stop() })
	reading.Go(func() {
		for reads := 0; ; reads++ {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, system.FeedURL(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+account.IDToken)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				if ctx.Err() == nil {
					t.Errorf("feed %d: %v", reads, err)
				}
				return
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusTooManyRequests {
				t.Errorf("feed %d: %s", reads, resp.Status)
			}
		}
	})
}

// wantIdle waits until the system is idle, for some minutes at most: then the error says what it waits for.
func wantIdle(t *testing.T, system *processes.System) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := system.Idle(ctx); err != nil {
		t.Fatal(err)
	}
}

// idleSince says that the action is the last that there is.
func idleSince(t *testing.T, system *processes.System, action site.Action) bool {
	t.Helper()
	last := system.LastAction()
	return last.Done && last.ID == action.ID
}
