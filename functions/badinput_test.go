package functions_test

import (
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// An event that no retry can help is acknowledged, and logged with its cause.
func TestMalformedEventsAreLoggedAndAcknowledged(t *testing.T) {
	t.Parallel()
	a, log := testkit.NewLoggedApp(t, schema.Config{NoOwnPosts: true})
	for name, e := range map[string]event.Event{
		"not a protobuf":      testkit.FirestoreEvent(t, []byte("\xff\xff\xff")),
		"no data":             testkit.FirestoreEvent(t, nil),
		"no document":         testkit.EventOf(t, a.ID, ""),
		"unknown path":        testkit.EventOf(t, a.ID, "users/a/friends/b"),
		"too deep":            testkit.EventOf(t, a.ID, "users/a/followers/b/c/d"),
		"an empty segment":    testkit.EventOf(t, a.ID, "users//followers/b"),
		"a name of nothing":   testkit.FirestoreEvent(t, []byte("\x0a\x02\x0a\x00")),
		"another collection":  testkit.EventOf(t, a.ID, "messages/a"),
		"a reserved follower": testkit.EventOf(t, a.ID, "users/a/followers/__x__"),
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
func TestEventsOfAnotherDatabaseAreRejected(t *testing.T) {
	t.Parallel()
	a, log := testkit.NewLoggedApp(t, schema.Config{NoOwnPosts: true})
	for _, database := range []string{"projects/" + a.ID + "/databases/blue", "projects/another/databases/(default)"} {
		log.Reset()
		data, err := proto.Marshal(&firestoredata.DocumentEventData{
			Value: &firestoredata.Document{Name: database + "/documents/users/a/followers/b"},
		})
		if err != nil {
			t.Fatal(err)
		}
		err = a.Handlers().OnFollowerWritten(t.Context(), testkit.FirestoreEvent(t, data))
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
	a, log := testkit.NewLoggedApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}})
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

// An author whose posts cannot be queried cannot be indexed: that is logged, and nothing is done by half.
func TestAuthorIDTooLongToQuery(t *testing.T) {
	t.Parallel()
	a, log := testkit.NewLoggedApp(t, schema.Config{NoOwnPosts: true})
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
	a, log := testkit.NewLoggedApp(t, schema.Config{NoOwnPosts: true})
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
