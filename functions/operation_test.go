package functions_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// The lines of runs name their operation, so that reads and writes are counted by it.
func TestLinesNameTheOperation(t *testing.T) {
	t.Parallel()
	a, log := newReportingApp(t, schema.Config{NoOwnPosts: true, Capacity: 2, InlineLimit: 2, Chunk: 1})
	for _, follower := range []string{"r1", "r2", "r3", "r4", "r5", "r6"} {
		a.Follow(follower, "author")
	}
	a.Settle()
	a.Post("p1", "author", day) // a job
	a.Settle()
	a.Unfollow("r1", "author")
	a.DeletePost("p1")
	a.Must(a.Client.Doc("users/author/blocked/r2").Set(t.Context(), map[string]any{"createdAt": day}))
	a.Settle()
	for function, method := range map[string]string{"Sweep": http.MethodPost, "Feed": http.MethodGet} {
		a.Handlers().HTTP(function)(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, "/", nil))
	}
	worked := map[string]bool{}
	for _, l := range runs(t, log) {
		if l.Reads+l.Writes+l.Deletes > 0 || l.Function == "Feed" {
			worked[l.Operation] = true
		}
	}
	want := []string{"block", "delete-post", "follow", "job:relations.post", "page", "post", "sweep", "unfollow"}
	testkit.Same(t, "operations that cost something", want, slices.Sorted(maps.Keys(worked)))
}

// Each function has an operation for each change of its trigger, and a job's document names no other.
func TestEveryTriggerHasItsOperations(t *testing.T) {
	t.Parallel()
	a, log := newReportingApp(t, schema.Config{NoOwnPosts: true})
	a.Silence()
	for _, trigger := range triggers.All(schema.Config{NoOwnPosts: true}) {
		if trigger.HTTP() {
			continue
		}
		name := "projects/" + a.ID + "/databases/(default)/documents/" + strings.NewReplacer("{", "", "}", "").Replace(trigger.Document)
		document := &firestoredata.Document{Name: name, Fields: map[string]*firestoredata.Value{"kind": {ValueType: &firestoredata.Value_StringValue{StringValue: "my own"}}}}
		changes := map[string]*firestoredata.DocumentEventData{
			"created": {Value: document}, "updated": {OldValue: document, Value: document}, "deleted": {OldValue: document},
		}
		kind := trigger.EventType[strings.LastIndex(trigger.EventType, ".")+1:]
		for change, data := range changes {
			if kind != "written" && kind != change {
				continue
			}
			log.Reset()
			text, err := proto.Marshal(data)
			if err != nil {
				t.Fatal(err)
			}
			_ = a.Handlers().Function(trigger.Name)(t.Context(), testkit.FirestoreEvent(t, text)) // those that this configuration does not need are dropped
			lines := runs(t, log)
			if len(lines) != 1 {
				t.Fatalf("%s, %s: %d lines", trigger.Name, change, len(lines))
			}
			if got := lines[0].Operation; got == "" || got == "unknown" || trigger.Name == "OnJobWritten" && got != "job" {
				t.Errorf("%s, %s: the operation is %q", trigger.Name, change, got)
			}
		}
	}
	log.Reset()
	_ = a.Handlers().Function("OnPostWritten")(t.Context(), testkit.FirestoreEvent(t, []byte("no event")))
	if lines := runs(t, log); len(lines) != 1 || lines[0].Operation != "unknown" {
		t.Errorf("of no event it says %+v", lines)
	}
}
