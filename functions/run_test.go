package functions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// line is a line of the log; of a run, where Message says so.
type line struct {
	Severity, Message, Function, Operation, Outcome, EventID, Code, Error string

	DurationMs                      *int64
	LagMs, Hop, BudgetLeftMs        *int64
	Reads, Writes, Deletes, Retries int64
	Due, Status                     *int64
	Kind                            string
	Trace                           string         `json:"logging.googleapis.com/trace"`
	Labels                          map[string]any `json:"logging.googleapis.com/labels"`
}

// runs are the lines of runs in a log.
func runs(t *testing.T, log fmt.Stringer) []line {
	t.Helper()
	return linesWith(t, log, logging.Run)
}

func linesWith(t *testing.T, log fmt.Stringer, message string) []line {
	t.Helper()
	var out []line
	for text := range strings.Lines(log.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		if l.Message == message {
			out = append(out, l)
		}
	}
	return out
}

// newReportingApp is an app whose log is kept from INFO on.
func newReportingApp(t *testing.T, cfg schema.Config, interceptors ...wire.Interceptor) (*app, *testkit.SyncBuffer) {
	t.Helper()
	log := new(testkit.SyncBuffer)
	return newAppOn(t, testkit.InProcess{Logger: logging.New(log, slog.LevelInfo), Interceptors: interceptors}, cfg), log
}

// burst is follows that share batches, posts that become jobs, unfollows and a deletion.
func (a *app) burst() {
	var clients sync.WaitGroup
	for i := range 80 {
		clients.Go(func() { a.Follow(fmt.Sprintf("r%02d", i), "author") })
	}
	clients.Wait()
	a.Settle()
	for i := range 3 {
		a.Post(fmt.Sprintf("p%d", i), "author", day)
	}
	for i := range 30 {
		clients.Go(func() { a.Unfollow(fmt.Sprintf("r%02d", i), "author") })
	}
	clients.Wait()
	a.Settle()
	a.DeletePost("p0")
	a.Settle()
}

// The operations in the lines of all runs add up to those of the functions, although
// events share transactions.
func TestRunLinesAddUpToBilledOperations(t *testing.T) {
	t.Parallel()
	// Some calls fail, as they do under load.
	injected := faults.New(faults.Plan{Seed: 7, Rate: 0.03})
	defer injected.Stop()
	a, log := newReportingApp(t, schema.Config{NoOwnPosts: true, Capacity: 10, InlineLimit: 4, Chunk: 2, Lease: 3 * time.Second}, injected.Interceptor())
	a.burst()
	a.WantVerified()
	var sum wire.Counts
	perOutcome := map[string]int{}
	steps := 0
	for _, l := range runs(t, log) {
		sum = sum.Plus(wire.Counts{Reads: l.Reads, Writes: l.Writes, Deletes: l.Deletes, Retries: l.Retries})
		perOutcome[l.Function+" "+l.Outcome]++
		if l.EventID == "" || l.LagMs == nil || l.DurationMs == nil || *l.LagMs < *l.DurationMs {
			t.Errorf("not what an event's run says: %+v", l)
		}
		if l.BudgetLeftMs != nil {
			steps++
		}
	}
	used := a.Meter.Counts()
	used.Requests, used.Sent, used.Received = 0, 0, 0
	if sum != used {
		t.Errorf("the lines add up to %v, %d retries; the functions used %v, %d retries", sum, sum.Retries, used, used.Retries)
	}
	if used.Retries == 0 || steps == 0 || perOutcome["OnFollowerWritten done"] < 90 || perOutcome["OnPostWritten done"] < 3 {
		t.Errorf("the story is not what it should be: %v, %d retries, %d steps, %v", used, used.Retries, steps, perOutcome)
	}
	t.Logf("%v, %d retries; %d steps; %v", used, used.Retries, steps, perOutcome)
}

// Each outcome, by its word.
func TestOutcomesOfRuns(t *testing.T) {
	t.Parallel()
	var broken codes.Code // what reads end with, unless it is OK
	a, log := newReportingApp(t, schema.Config{NoOwnPosts: true}, wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		if broken != codes.OK {
			return nil, status.Error(broken, "broken on purpose")
		}
		return open(ctx, desc, cc, method, opts...)
	}})
	a.Silence() // events are delivered by the test
	a.Follow("r1", "author")
	a.Post("p1", "author", day)
	a.Must(a.Client.Doc("_functions/leased").Set(t.Context(), map[string]any{
		"kind": "relations.post", "state": "running", "hop": 3, "args": map[string]any{"post": "p1"},
		"lease":  map[string]any{"holder": "another", "until": time.Now().Add(time.Hour)},
		"wakeAt": time.Now().Add(time.Hour),
	}))
	a.Must(a.Client.Doc("_functions/queued").Set(t.Context(), map[string]any{
		"kind": "relations.post", "state": "queued", "hop": 5, "args": map[string]any{"post": "p1"},
	}))
	deliver := func(function string, e event.Event) error {
		e.SetTime(time.Now().Add(-time.Hour))
		return a.Handlers().Function(function)(t.Context(), e)
	}
	for _, c := range []struct {
		name, function string
		event          event.Event
		broken         codes.Code
		want           line
		again          bool
	}{
		{name: "done", function: "OnFollowerWritten", event: testkit.EventOf(t, a.ID, "users/author/followers/r1"), want: line{Outcome: "done", Severity: "INFO"}},
		{name: "the same event again", function: "OnFollowerWritten", event: testkit.EventOf(t, a.ID, "users/author/followers/r1"), want: line{Outcome: "nothing", Severity: "INFO"}},
		{name: "no document of ours", function: "OnPostWritten", event: testkit.EventOf(t, a.ID, "other/p1"), want: line{Outcome: "dropped", Severity: "ERROR", Code: "Unknown"}},
		{name: "Firestore refuses", function: "OnPostWritten", event: testkit.EventOf(t, a.ID, "posts/p1"), broken: codes.PermissionDenied, want: line{Outcome: "failed", Severity: "WARNING", Code: "PermissionDenied"}, again: true},
		{name: "a job that another holds", function: "OnJobWritten", event: jobEvent(t, a.ID, "leased", "queued", 3), want: line{Outcome: "nothing", Severity: "INFO"}},
		{name: "a step of a job", function: "OnJobWritten", event: jobEvent(t, a.ID, "queued", "queued", 5), want: line{Outcome: "done", Severity: "INFO"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			log.Reset()
			broken = c.broken
			if err := deliver(c.function, c.event); (err != nil) != c.again {
				t.Errorf("asked for again: %v, want %v", err, c.again)
			}
			got := runs(t, log)
			if len(got) != 1 {
				t.Fatalf("%d lines of runs: %s", len(got), log)
			}
			l := got[0]
			if l.Function != c.function || l.Outcome != c.want.Outcome || l.Severity != c.want.Severity || l.Code != c.want.Code || (l.Error == "") != (l.Code == "") || l.EventID != "event-1" {
				t.Errorf("%+v, want %+v", l, c.want)
			}
			if l.LagMs == nil || *l.LagMs < time.Hour.Milliseconds() {
				t.Errorf("lag of an hour-old event: %v ms", l.LagMs)
			}
			if isStep := c.name == "a step of a job"; (l.BudgetLeftMs != nil) != isStep || isStep && (l.Hop == nil || *l.Hop != 5 || *l.BudgetLeftMs > 530_000 || *l.BudgetLeftMs < 400_000) {
				t.Errorf("hop %v, budget left %v", l.Hop, l.BudgetLeftMs)
			}
		})
	}
}

// jobEvent says that a job was written.
func jobEvent(t *testing.T, project, id, state string, hop int64) event.Event {
	t.Helper()
	data, err := proto.Marshal(&firestoredata.DocumentEventData{Value: &firestoredata.Document{
		Name: "projects/" + project + "/databases/(default)/documents/_functions/" + id,
		Fields: map[string]*firestoredata.Value{
			"state": {ValueType: &firestoredata.Value_StringValue{StringValue: state}},
			"hop":   {ValueType: &firestoredata.Value_IntegerValue{IntegerValue: hop}},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return testkit.FirestoreEvent(t, data)
}

// A run that panics is logged like one that fails. The panic continues to the framework,
// which answers the request.
func TestPanickingRunLogsItsLine(t *testing.T) {
	t.Parallel()
	a, log := newReportingApp(t, schema.Config{NoOwnPosts: true}, wire.Interceptor{Stream: func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, grpc.Streamer, ...grpc.CallOption) (grpc.ClientStream, error) {
		panic("on purpose")
	}})
	defer func() {
		if r := recover(); r != "on purpose" {
			t.Errorf("recovered %v", r)
		}
		if got := runs(t, log); len(got) != 1 || got[0].Outcome != "failed" || got[0].Error != "panic" {
			t.Errorf("lines: %+v", got)
		}
	}()
	_ = a.Handlers().Function("OnPostWritten")(t.Context(), testkit.EventOf(t, a.ID, "posts/p1"))
}

// The trace of a request is in each of its lines, also in those of Sweep and the engine.
func TestLinesNameTheTraceOfTheirRequest(t *testing.T) {
	t.Parallel()
	a, log := newReportingApp(t, schema.Config{NoOwnPosts: true})
	a.Silence()
	a.Must(a.Client.Doc("_functions/bad").Set(t.Context(), map[string]any{"state": "queued", "wakeAt": time.Now().Add(-time.Hour), "hop": "no number"}))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	request.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	a.Handlers().HTTP("Sweep")(httptest.NewRecorder(), request)
	for _, message := range []string{"job failed", "run"} {
		lines := linesWith(t, log, message)
		if len(lines) != 1 {
			t.Fatalf("%d lines %q in %s", len(lines), message, log)
		}
		if l := lines[0]; l.Trace != "projects/"+a.ID+"/traces/4bf92f3577b34da6a3ce929d0e0e4736" || l.Labels["function"] != "Sweep" {
			t.Errorf("%+v", l)
		}
	}
	if l := runs(t, log)[0]; l.Outcome != "done" || l.LagMs != nil || l.EventID != "" || l.Due == nil || *l.Due != 1 {
		t.Errorf("%+v", l)
	}
	log.Reset()
	a.Handlers().HTTP("Sweep")(httptest.NewRecorder(), request)
	if l := runs(t, log); len(l) != 1 || l[0].Outcome != "nothing" {
		t.Errorf("a sweep that finds nothing: %+v", l)
	}
}
