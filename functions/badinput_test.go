package functions_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/testkit"
)

// newLoggedApp is an app whose functions log into a buffer.
func newLoggedApp(t *testing.T, cfg config.Functions) (*app, *syncBuffer) {
	t.Helper()
	log := new(syncBuffer)
	return newAppOn(t, testkit.InProcess{Logger: logging.New(log, slog.LevelWarn)}, cfg), log
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

func eventOf(t *testing.T, project, path string) event.Event {
	t.Helper()
	data, err := proto.Marshal(&firestoredata.DocumentEventData{
		Value: &firestoredata.Document{Name: "projects/" + project + "/databases/(default)/documents/" + path},
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
		"no document":         eventOf(t, a.ID, ""),
		"unknown path":        eventOf(t, a.ID, "users/a/friends/b"),
		"too deep":            eventOf(t, a.ID, "users/a/followers/b/c/d"),
		"an empty segment":    eventOf(t, a.ID, "users//followers/b"),
		"a name of nothing":   firestoreEvent(t, []byte("\x0a\x02\x0a\x00")),
		"another collection":  eventOf(t, a.ID, "messages/a"),
		"a reserved follower": eventOf(t, a.ID, "users/a/followers/__x__"),
	} {
		for _, function := range []string{"OnFollowerWritten", "OnPostWritten", "OnJobWritten"} {
			log.Reset()
			if err := a.Handlers().Function(function)(t.Context(), e); err != nil {
				t.Errorf("%s: %s asks for the event again: %v", name, function, err)
			}
			want := `"outcome":"dropped"`
			if name == "a reserved follower" && function == "OnFollowerWritten" {
				want = `"outcome":"skipped"`
			}
			if got := log.String(); !strings.Contains(got, want) || !strings.Contains(got, "event-1") {
				t.Errorf("%s: %s logged %q, want %s and event-1", name, function, got, want)
			}
		}
	}
	if used := a.Meter.Counts(); used.Requests != 0 {
		t.Errorf("malformed events cost %v", used)
	}
}

// An event of a database that the function does not work on, or of another project, is rejected: it comes again when the deployment is corrected.
func TestEventsOfAnotherDatabaseAreRefused(t *testing.T) {
	t.Parallel()
	a, log := newLoggedApp(t, config.Functions{})
	for _, database := range []string{"projects/" + a.ID + "/databases/blue", "projects/another/databases/(default)"} {
		log.Reset()
		data, err := proto.Marshal(&firestoredata.DocumentEventData{
			Value: &firestoredata.Document{Name: database + "/documents/users/a/followers/b"},
		})
		if err != nil {
			t.Fatal(err)
		}
		err = a.Handlers().OnFollowerWritten(t.Context(), firestoreEvent(t, data))
		want := "the event is from " + database + ", but the function uses projects/" + a.ID + "/databases/(default)"
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(log.String(), `"outcome":"failed"`) {
			t.Errorf("it returns %v, and logs %s", err, log.String())
		}
	}
	if used := a.Meter.Counts(); used.Requests != 0 {
		t.Errorf("it costs %v", used)
	}
}

func TestBadPosts(t *testing.T) {
	t.Parallel()
	a, log := newLoggedApp(t, config.Functions{CopiedFields: []string{"text"}})
	a.Follow("r1", "author")
	a.Settle()
	posts := map[string]map[string]any{
		"no-author":    {"createdAt": day},
		"number":       {"userId": 7, "createdAt": day},
		"empty-author": {"userId": "", "createdAt": day},
		"slash":        {"userId": "a/b", "createdAt": day},
		"no-time":      {"userId": "author"},
		"string-time":  {"userId": "author", "createdAt": "yesterday"},
		"huge-copy":    {"userId": "author", "createdAt": day, "text": strings.Repeat("x", 500_000)},
	}
	for id, post := range posts {
		a.Must(a.Client.Doc("posts/"+id).Set(t.Context(), post))
	}
	a.Settle()
	for _, id := range []string{"no-author", "number", "empty-author", "slash"} {
		if !strings.Contains(log.String(), "documents/posts/"+id+": bad document") {
			t.Errorf("the log does not name posts/%s", id)
		}
	}
	got := a.Feed("r1")
	if len(got) != 3 || got[2] != "huge-copy" { // the others have the time when they were created
		t.Errorf("feed is %v, want the three posts that have an author", got)
	}
	if stats := testkit.Machine(t).Emulator.Broker().Stats(a.ID); stats.Redeliveries != 0 {
		t.Errorf("%d redeliveries of what a retry cannot help", stats.Redeliveries)
	}
	a.WantVerified()

	// A post that loses its author leaves the feeds.
	a.Edit("no-time", firestore.Update{Path: "userId", Value: 7})
	a.Settle()
	if got := a.Feed("r1"); len(got) != 2 {
		t.Errorf("feed is %v, want two posts", got)
	}
	a.WantVerified()
}

// An author whose posts cannot be queried cannot be indexed: said, not half done.
func TestAuthorIDTooLongToQuery(t *testing.T) {
	t.Parallel()
	a, log := newLoggedApp(t, config.Functions{})
	author := strings.Repeat("a", 1500)
	a.Follow("r1", author)
	a.Must(a.Client.Doc("posts/p1").Set(t.Context(), map[string]any{"userId": author, "createdAt": day}))
	a.Settle()
	if got := log.String(); strings.Count(got, `"outcome":"skipped"`) != 2 || !strings.Contains(got, "an account's may have 1499") || strings.Contains(got, `"severity":"ERROR"`) {
		t.Errorf("the log does not say as a warning that both events were skipped and why: %.600s", got)
	}
	if stats := testkit.Machine(t).Emulator.Broker().Stats(a.ID); stats.Redeliveries != 0 {
		t.Errorf("%d redeliveries of what a retry cannot help", stats.Redeliveries)
	}
	a.WantVerified()
}

func TestSelfFollowIsIgnored(t *testing.T) {
	t.Parallel()
	a, log := newLoggedApp(t, config.Functions{})
	a.Post("p1", "author", day)
	a.Follow("author", "author")
	a.Follow("r1", "author")
	a.Settle()
	a.WantFeed("author")
	a.WantFeed("r1", "p1")
	if !strings.Contains(log.String(), "users/author/followers/author") {
		t.Errorf("the log does not name the document: %s", log)
	}
	a.WantVerified()
}

// The two fields of a user document say where the index documents are. Damaged
// or gone, they are made again from the index documents; nobody is lost.
func TestDamagedUserDocument(t *testing.T) {
	t.Parallel()
	set := func(fields map[string]any) func(*app) {
		return func(a *app) {
			a.Must(a.Client.Doc("users/author").Set(a.T.Context(), fields))
		}
	}
	for name, damage := range testkit.CasesByName(t, map[string]func(*app){
		"missing": func(a *app) { // as after a restore; where functions see it deleted, the account is
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
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, log := newLoggedApp(t, config.Functions{Capacity: 2})
			for _, r := range []string{"r1", "r2", "r3", "r4"} {
				a.Follow(r, "author")
			}
			a.Settle()
			damage(a)
			a.Follow("r5", "author")
			a.Settle()
			a.Post("p1", "author", day)
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
