package functions_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/logging"
)

// newLoggedApp is an app whose functions log into a buffer.
func newLoggedApp(t *testing.T, cfg config.Functions) (*app, *syncBuffer) {
	t.Helper()
	log := new(syncBuffer)
	return newAppWithLogger(t, cfg, logging.New(log, slog.LevelWarn)), log
}

// syncBuffer is a buffer that functions write while a test reads it.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *syncBuffer) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Reset()
}

func firestoreEvent(t *testing.T, data []byte) event.Event {
	t.Helper()
	e := event.New()
	e.SetID("event-1")
	e.SetType("google.cloud.firestore.document.v1.written")
	e.SetSource("//firestore.googleapis.com/projects/p/databases/(default)")
	if err := e.SetData("application/protobuf", data); err != nil {
		t.Fatal(err)
	}
	return e
}

func eventOf(t *testing.T, path string) event.Event {
	t.Helper()
	data, err := proto.Marshal(&firestoredata.DocumentEventData{
		Value: &firestoredata.Document{Name: "projects/p/databases/(default)/documents/" + path},
	})
	if err != nil {
		t.Fatal(err)
	}
	return firestoreEvent(t, data)
}

// What a retry cannot help is acknowledged, and logged with what it was.
func TestMalformedEventsAreLoggedAndAcknowledged(t *testing.T) {
	t.Parallel()
	a, log := newLoggedApp(t, config.Functions{})
	for name, e := range map[string]event.Event{
		"not a protobuf":      firestoreEvent(t, []byte("\xff\xff\xff")),
		"no data":             firestoreEvent(t, nil),
		"no document":         eventOf(t, ""),
		"unknown path":        eventOf(t, "users/a/friends/b"),
		"too deep":            eventOf(t, "users/a/followers/b/c/d"),
		"an empty segment":    eventOf(t, "users//followers/b"),
		"a name of nothing":   firestoreEvent(t, []byte("\x0a\x02\x0a\x00")),
		"another collection":  eventOf(t, "messages/a"),
		"a reserved follower": eventOf(t, "users/a/followers/__x__"),
	} {
		for _, function := range []string{"OnFollowerWritten", "OnPostWritten", "OnJobWritten"} {
			log.Reset()
			if err := a.Handlers().Function(function)(t.Context(), e); err != nil {
				t.Errorf("%s: %s asks for the event again: %v", name, function, err)
			}
			if got := log.String(); !strings.Contains(got, "event dropped") || !strings.Contains(got, "event-1") {
				t.Errorf("%s: %s logged %q, want that event-1 was dropped", name, function, got)
			}
		}
	}
	if used := a.Meter.Counts(); used.Requests != 0 {
		t.Errorf("malformed events cost %v", used)
	}
}

func TestBadPosts(t *testing.T) {
	t.Parallel()
	a, log := newLoggedApp(t, config.Functions{CopiedFields: []string{"text"}})
	a.follow("r1", "author")
	a.idle()
	posts := map[string]map[string]any{
		"no-author":    {"createdAt": day},
		"number":       {"userId": 7, "createdAt": day},
		"empty-author": {"userId": "", "createdAt": day},
		"slash":        {"userId": "a/b", "createdAt": day},
		"no-time":      {"userId": "author"},
		"string-time":  {"userId": "author", "createdAt": "yesterday"},
		"huge-copy":    {"userId": "author", "createdAt": day, "text": strings.Repeat("x", 900_000)},
	}
	for id, post := range posts {
		a.must(a.Client.Doc("posts/"+id).Set(t.Context(), post))
	}
	a.idle()
	for _, id := range []string{"no-author", "number", "empty-author", "slash"} {
		if !strings.Contains(log.String(), "documents/posts/"+id+": bad document") {
			t.Errorf("the log does not name posts/%s", id)
		}
	}
	got := a.feed("r1")
	if len(got) != 3 || got[2] != "huge-copy" { // the others have the time when they were created
		t.Errorf("feed is %v, want the three posts that have an author", got)
	}
	if stats := theMachine(t).Emulator.Broker().Stats(a.ID); stats.Redeliveries != 0 {
		t.Errorf("%d redeliveries of what a retry cannot help", stats.Redeliveries)
	}
	a.wantVerified()

	// A post that loses its author leaves the feeds.
	a.edit("no-time", firestore.Update{Path: "userId", Value: 7})
	a.idle()
	if got := a.feed("r1"); len(got) != 2 {
		t.Errorf("feed is %v, want two posts", got)
	}
	a.wantVerified()
}

func TestUnusualIDs(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	longest := strings.Repeat("é", 749) + "x" // 1,499 bytes: the longest that can be queried
	for _, author := range []string{"with space", "a%2Fb", "日本語", `quo"te`, "trailing ", "tab\tin it", longest} {
		reader := "reader of " + author
		post := "post of " + author
		if author == longest {
			reader = strings.Repeat("r", 1499)
			post = strings.Repeat("p", 1500)
		}
		a.follow(reader, author)
		a.idle()
		a.must(a.Client.Collection("posts").Doc(post).Set(t.Context(), map[string]any{"userId": author, "createdAt": day}))
		a.idle()
		a.wantFeed(reader, post)
		a.unfollow(reader, author)
		a.idle()
		a.wantFeed(reader)
	}
	a.wantVerified()
}

// The names of relations of a post whose id begins like another's relations
// stand among them.
func TestPostIDsThatBeginAlike(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 1, InlineLimit: 2, Chunk: 1})
	a.follow("r1", "author")
	a.follow("r2", "author")
	a.idle()
	ids := []string{"p", "p_0", "p_00001", "p_00001_00002", "p_5x"}
	for i, id := range ids {
		a.post(id, "author", day.Add(time.Duration(i)*time.Hour))
	}
	a.idle()
	a.wantFeed("r2", "p_5x", "p_00001_00002", "p_00001", "p_0", "p")
	a.wantVerified()
	a.must(a.Client.Doc("posts/p").Delete(t.Context()))
	a.must(a.Client.Doc("posts/p_00001").Delete(t.Context()))
	a.idle()
	a.wantFeed("r1", "p_5x", "p_00001_00002", "p_0")
	a.wantVerified()
}

// An author whose posts cannot be queried cannot be indexed: said, not half done.
func TestAuthorIDTooLongToQuery(t *testing.T) {
	t.Parallel()
	a, log := newLoggedApp(t, config.Functions{})
	author := strings.Repeat("a", 1500)
	a.follow("r1", author)
	a.must(a.Client.Doc("posts/p1").Set(t.Context(), map[string]any{"userId": author, "createdAt": day}))
	a.idle()
	if got := log.String(); strings.Count(got, "event dropped") != 2 || !strings.Contains(got, "an author's may have 1499") {
		t.Errorf("the log does not say that both events were dropped and why: %.600s", got)
	}
	if stats := theMachine(t).Emulator.Broker().Stats(a.ID); stats.Redeliveries != 0 {
		t.Errorf("%d redeliveries of what a retry cannot help", stats.Redeliveries)
	}
	a.wantVerified()
}

// The longest id that Firestore has can follow, though no query finds it: the
// longest value of a filter is one byte shorter.
func TestLongestFollowerID(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	follower := strings.Repeat("f", 1500)
	a.post("p1", "author", day)
	a.follow(follower, "author")
	a.idle()
	doc, err := a.Client.Doc("_relations/p1_00001").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Data()["followers"].([]any); len(got) != 1 || got[0] != follower {
		t.Errorf("the relation does not hold the follower")
	}
	a.wantVerified()
}

func TestSelfFollowIsIgnored(t *testing.T) {
	t.Parallel()
	a, log := newLoggedApp(t, config.Functions{})
	a.post("p1", "author", day)
	a.follow("author", "author")
	a.follow("r1", "author")
	a.idle()
	a.wantFeed("author")
	a.wantFeed("r1", "p1")
	if !strings.Contains(log.String(), "users/author/followers/author") {
		t.Errorf("the log does not name the document: %s", log)
	}
	a.wantVerified()
}

// The two fields of a user document say where the index documents are. Damaged
// or gone, they are made again from the index documents; nobody is lost.
func TestDamagedUserDocument(t *testing.T) {
	t.Parallel()
	set := func(fields map[string]any) func(*app) {
		return func(a *app) {
			a.must(a.Client.Doc("users/author").Set(a.t.Context(), fields))
		}
	}
	for name, damage := range map[string]func(*app){
		"missing": func(a *app) { // as after a restore; where functions see it deleted, the account is
			a.Silence()
			a.must(a.Client.Doc("users/author").Delete(a.t.Context()))
			a.idle()
			a.wake()
		},
		"empty":            set(map[string]any{}),
		"without fields":   set(map[string]any{"name": "Ada"}),
		"not an array":     set(map[string]any{"followers_index": "00001", "latestFollowersIndex": "00002"}),
		"of numbers":       set(map[string]any{"followers_index": []int{1, 2}, "latestFollowersIndex": "00002"}),
		"with a gap":       set(map[string]any{"followers_index": []string{"00001", "00003"}, "latestFollowersIndex": "00003"}),
		"latest is wrong":  set(map[string]any{"followers_index": []string{"00001", "00002"}, "latestFollowersIndex": "00001"}),
		"one too few":      set(map[string]any{"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"}),
		"one too many":     set(map[string]any{"followers_index": []string{"00001", "00002", "00003"}, "latestFollowersIndex": "00003"}),
		"without a latest": set(map[string]any{"followers_index": []string{"00001", "00002"}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, log := newLoggedApp(t, config.Functions{Capacity: 2})
			for _, r := range []string{"r1", "r2", "r3", "r4"} {
				a.follow(r, "author")
			}
			a.idle()
			damage(a)
			a.follow("r5", "author")
			a.idle()
			a.post("p1", "author", day)
			a.idle()
			for _, r := range []string{"r1", "r2", "r3", "r4", "r5"} {
				a.wantFeed(r, "p1")
			}
			if !strings.Contains(log.String(), "documents/users/author") {
				t.Errorf("the log does not name the user document: %s", log)
			}
			a.wantVerified()
		})
	}
}
