package testkit

import (
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
)

// FirestoreEvent returns the event of a written document, with this payload.
func FirestoreEvent(t *testing.T, data []byte) event.Event {
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

// EventOf returns the event of a document that was created without fields.
func EventOf(t *testing.T, project, path string) event.Event {
	t.Helper()
	data, err := proto.Marshal(&firestoredata.DocumentEventData{
		Value: &firestoredata.Document{Name: "projects/" + project + "/databases/(default)/documents/" + path},
	})
	if err != nil {
		t.Fatal(err)
	}
	return FirestoreEvent(t, data)
}
