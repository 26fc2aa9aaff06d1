package emulator_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/emulator"
)

// inbox collects what a function receives.
type inbox struct {
	mu     sync.Mutex
	events []received
}

func (i *inbox) add(e received) (nth int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.events = append(i.events, e)
	return len(i.events)
}

// all returns what came so far; call it when the project is idle.
func (i *inbox) all() []received {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.events)
}

func (i *inbox) documents() []string {
	var documents []string
	for _, e := range i.all() {
		documents = append(documents, e.document)
	}
	return documents
}

// keeper is a function that keeps every event.
func (i *inbox) keeper(tb testing.TB) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) { i.add(receive(tb, r)) }
}

func TestOneAtATimeKeepsTheOrder(t *testing.T) {
	project := projectOf(t)
	var got inbox
	register(t, project, "a/{n}", function(t, got.keeper(t)), func(t *emulator.Trigger) { t.Concurrency = 1 })
	var want []string
	for n := range 50 {
		want = append(want, fmt.Sprintf("a/%d", n))
		write(t, project, "x", want[n])
	}
	idle(t, project)
	if diff := cmp.Diff(want, got.documents()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// strangeIDs are document ids that HTTP, URLs or base64 could spoil.
var strangeIDs = []string{
	"plain", "a b", " lead", "trail ", "q\"uote", "100%", "a%2Fb", "%", "é", "日本", "😀", "tab\tx", "back\\slash", "\u0085nel",
	"~!@#$&*()=:,;'+[]{}|<>?^`", strings.Repeat("x", 1400), strings.Repeat("é", 700),
}

func TestEventsLookLikeProduction(t *testing.T) {
	project := projectOf(t)
	var got inbox
	register(t, project, "users/{u}/followers/{f}", function(t, got.keeper(t)))
	want := make(map[string]string) // the field's value by document
	for i, id := range strangeIDs {
		document := "users/" + id + "/followers/" + id
		want[document] = fmt.Sprint(i)
		write(t, project, want[document], document)
	}
	idle(t, project)
	events := got.all()
	if len(events) != len(want) {
		t.Errorf("%d events came from %d documents", len(events), len(want))
	}
	for _, e := range events {
		if value, ok := want[e.document]; !ok || e.value != value {
			t.Errorf("document %q has %q, want %q", e.document, e.value, value)
		}
		encoded := e.header.Get("Ce-Document")
		if decoded, err := url.PathUnescape(encoded); err != nil || decoded != e.document {
			t.Errorf("ce-document is %q, which decodes to %q, %v; want %q", encoded, decoded, err, e.document)
		}
		wantHeader := map[string]string{
			"Ce-Specversion": "1.0",
			"Ce-Type":        "google.cloud.firestore.document.v1.written",
			"Ce-Source":      "//firestore.googleapis.com/projects/" + project + "/databases/(default)",
			"Ce-Subject":     "documents/" + encoded,
			"Ce-Project":     project,
			"Ce-Database":    "(default)",
			"Ce-Namespace":   "(default)",
			"Content-Type":   "application/protobuf",
		}
		for key, value := range wantHeader {
			if e.header.Get(key) != value {
				t.Errorf("%s of %q is %q, want %q", key, e.document, e.header.Get(key), value)
			}
		}
		if _, err := time.Parse(time.RFC3339, e.header.Get("Ce-Time")); err != nil {
			t.Errorf("ce-time: %v", err)
		}
	}
}

// A limit of the emulator, which doc.go tells. When this fails, it is gone.
func TestEventsOfControlCharactersAreLost(t *testing.T) {
	project := projectOf(t)
	var got inbox
	register(t, project, "users/{u}", function(t, got.keeper(t)))
	write(t, project, "x", "users/line\nbreak", "users/nul\x00", "users/del\x7f", "users/last")
	idle(t, project)
	if diff := cmp.Diff([]string{"users/last"}, got.documents()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProductionEventIsDeliveredUnchanged(t *testing.T) {
	project := projectOf(t)
	var got inbox
	register(t, project, "users/{u}", function(t, got.keeper(t)))
	body, err := proto.Marshal(&firestoredata.DocumentEventData{
		Value: &firestoredata.Document{Name: "projects/" + project + "/databases/(default)/documents/users/a b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		shared(t).URL()+"/functions/projects/"+project+"/triggers/t", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Ce-Id": {"1"}, "Ce-Type": {"google.cloud.firestore.document.v1.created"}, "Ce-Specversion": {"1.0"},
		"Ce-Source":  {"//firestore.googleapis.com/projects/" + project + "/databases/(default)"},
		"Ce-Subject": {"documents/users/a%20b"}, "Ce-Document": {"users/a%20b"}, "Content-Type": {"application/protobuf"},
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	idle(t, project)
	events := got.all()
	if len(events) != 1 {
		t.Fatalf("%d events came", len(events))
	}
	for key := range req.Header {
		if got, want := events[0].header.Get(key), req.Header.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if !bytes.Equal(events[0].body, body) {
		t.Errorf("the body is %q, want %q", events[0].body, body)
	}
}

func TestConcurrencyIsReachedAndNotExceeded(t *testing.T) {
	project := projectOf(t)
	const limit, events = 7, 60
	var (
		mu            sync.Mutex
		running, most int
		reached       = make(chan struct{})
	)
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		running += by
		if running > most {
			most = running
			if most == limit {
				close(reached)
			}
		}
	}
	register(t, project, "a/{n}", function(t, func(http.ResponseWriter, *http.Request) {
		count(1)
		<-reached // so this test ends only if the limit is reached
		count(-1)
	}), func(t *emulator.Trigger) { t.Concurrency = limit })
	var documents []string
	for n := range events {
		documents = append(documents, fmt.Sprintf("a/%d", n))
	}
	write(t, project, "x", documents...)
	idle(t, project)
	if most != limit {
		t.Errorf("%d deliveries were at the function at once, want %d", most, limit)
	}
	if s := shared(t).Broker().Stats(project); s.Events != events {
		t.Errorf("stats are %+v", s)
	}
}

func TestFailedFunctionGetsSameEventAgain(t *testing.T) {
	project := projectOf(t)
	const failures = 4
	var got inbox
	register(t, project, "a/{n}", function(t, func(w http.ResponseWriter, r *http.Request) {
		if got.add(receive(t, r)) <= failures {
			http.Error(w, "not now", http.StatusInternalServerError)
		}
	}))
	write(t, project, "x", "a/1")
	idle(t, project)
	events := got.all()
	if len(events) != failures+1 {
		t.Fatalf("%d deliveries, want %d", len(events), failures+1)
	}
	for _, e := range events[1:] {
		if e.id != events[0].id || !bytes.Equal(e.body, events[0].body) {
			t.Errorf("event %s %q came after %s %q", e.id, e.body, events[0].id, events[0].body)
		}
	}
	want := emulator.Stats{Events: 1, Deliveries: failures + 1, Redeliveries: failures, Failures: failures}
	if got := shared(t).Broker().Stats(project); got != want {
		t.Errorf("stats are %+v, want %+v", got, want)
	}
}

func TestPlannedDuplicates(t *testing.T) {
	project := projectOf(t)
	var seen sync.Map // what Plan was told, by event id
	hooks.Store(project, &hook{plan: func(e emulator.Event) []emulator.Attempt {
		seen.Store(e.ID, e)
		return []emulator.Attempt{{}, {After: 5 * time.Millisecond}, {}}
	}})
	var got inbox
	register(t, project, "users/{n}", function(t, got.keeper(t)))
	write(t, project, "x", "users/a b")
	idle(t, project)
	events := got.all()
	if len(events) != 3 {
		t.Fatalf("%d deliveries, want 3", len(events))
	}
	for _, e := range events {
		told, ok := seen.Load(e.id)
		if !ok {
			t.Fatalf("Plan was not asked about %s", e.id)
		}
		want := emulator.Event{
			ID: e.id, Type: "google.cloud.firestore.document.v1.written",
			Source:  "//firestore.googleapis.com/projects/" + project + "/databases/(default)",
			Subject: "documents/users/a b", Document: "users/a b", Project: project, Database: "(default)", Trigger: "t", Change: emulator.Created,
		}
		if diff := cmp.Diff(want, told, cmpopts.IgnoreFields(emulator.Event{}, "Time")); diff != "" {
			t.Errorf("Plan was told (-want +got):\n%s", diff)
		}
	}
	if s := shared(t).Broker().Stats(project); s.Duplicates != 2 || s.Events != 1 {
		t.Errorf("stats are %+v", s)
	}
}

func TestRegisterAgainReplaces(t *testing.T) {
	project := projectOf(t)
	var first, second inbox
	register(t, project, "a/{n}", function(t, first.keeper(t)))
	register(t, project, "b/{n}", function(t, second.keeper(t)))
	write(t, project, "x", "a/1", "b/1")
	idle(t, project)
	if diff := cmp.Diff([]string{"b/1"}, second.documents()); diff != "" || len(first.all()) != 0 {
		t.Errorf("the first got %v, the second (-want +got):\n%s", first.documents(), diff)
	}
}

func TestRegisterRejects(t *testing.T) {
	good := emulator.Trigger{Name: "t", EventType: "google.cloud.firestore.document.v1.written", Document: "a/{n}", URL: "http://127.0.0.1:1/"}
	for _, project := range []string{"", "a/b", "demo-broker-barrier"} {
		if err := shared(t).Broker().Register(t.Context(), project, good); err == nil {
			t.Errorf("project %q was taken", project)
		}
	}
	bad, project := good, projectOf(t)
	bad.Name, bad.URL = "bad", "nowhere"
	if err := shared(t).Broker().Register(t.Context(), project, good, bad); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("got %v, want an error that shows the URL", err)
	}
	if err := shared(t).Broker().Idle(t.Context(), project); !errors.Is(err, emulator.ErrUnknownProject) {
		t.Errorf("got %v, want ErrUnknownProject: the good one of two triggers was registered although the other was bad", err)
	}
}

// The emulator sends an event of a deletion that deletes nothing. Production does not, and so the broker does not either.
func TestDeletingMissingDocumentSendsNoEvent(t *testing.T) {
	t.Parallel()
	project := projectOf(t)
	register(t, project, "a/{id}", function(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("delivered: %+v", receive(t, r))
	}))
	name := "projects/" + project + "/databases/(default)/documents/a/missing"
	if err := post(t.Context(), "/v1/projects/"+project+"/databases/(default)/documents:commit", `{"writes":[{"delete":`+quote(name)+`}]}`); err != nil {
		t.Fatal(err)
	}
	idle(t, project)
	if got, want := shared(t).Broker().Stats(project), (emulator.Stats{}); got != want {
		t.Errorf("stats are %+v, want none", got)
	}
}
