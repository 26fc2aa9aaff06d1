package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// ProjectID returns a project id of the test's own, another one at each call.
func ProjectID(tb testing.TB) string { return stories.ProjectID(tb) }

// Open opens the database of a project until the test ends. Guards reject queries without an index,
// and commits that are too large: see [local.Guards]. They come after the interceptors, and so see the
// requests that reach the emulator.
func Open(tb testing.TB, project string, interceptors ...wire.Interceptor) *firestore.Client {
	tb.Helper()
	c, err := local.Open(tb.Context(), project, Machine(tb).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// OpenAt is like Open, for a new project at a host, and without guards. It is for tests of the
// client's own parts.
func OpenAt(tb testing.TB, host string, interceptors ...wire.Interceptor) *firestore.Client {
	tb.Helper()
	c, err := wire.Open(tb.Context(), ProjectID(tb), host, interceptors...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// Functions connects functions to the triggers of a project. They replace the project's earlier
// functions, with another configuration. They log warnings to the test's output.
func Functions(tb testing.TB, project string, cfg schema.Config, interceptors ...wire.Interceptor) *local.Project {
	tb.Helper()
	p, err := connect(tb, project, cfg, logging.New(tb.Output(), slog.LevelWarn), interceptors...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// connect connects functions to the triggers of a project until the test ends. Later events, which failed and would be
// retried for as long as the process runs, are acknowledged and have no effect.
func connect(tb testing.TB, project string, cfg schema.Config, logger *slog.Logger, interceptors ...wire.Interceptor) (*local.Project, error) {
	tb.Helper()
	p, err := Machine(tb).Project(tb.Context(), project, cfg, logger, interceptors...)
	if err != nil {
		return nil, err
	}
	tb.Cleanup(p.Silence)
	return p, nil
}

// SetRules sets the security rules for the clients of a project, on the emulator at host. They replace
// the project's earlier rules.
func SetRules(tb testing.TB, host, project string, rules []byte) {
	tb.Helper()
	body, err := json.Marshal(map[string]any{"rules": map[string]any{"files": []map[string]string{{"content": string(rules)}}}})
	if err != nil {
		tb.Fatal(err)
	}
	url := fmt.Sprintf("http://%s/emulator/v1/projects/%s:securityRules", host, project)
	request, err := http.NewRequestWithContext(tb.Context(), http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		tb.Fatalf("rules: %s", answer.Status)
	}
}

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
