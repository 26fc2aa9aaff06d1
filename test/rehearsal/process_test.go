//go:build long

package rehearsal_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/emulator"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/schema"
	"example.com/relationindex/test/rehearsal"
	"example.com/relationindex/testkit/stories"
)

// The process gets requests as Eventarc sends them: the document in protobuf, not in
// text, and the event's attributes in headers.
func TestProcessHandlesEventarcRequests(t *testing.T) {
	t.Parallel()
	m, err := theMachine()
	if err != nil {
		t.Fatal(err)
	}
	a := stories.Open(t, m)
	address, err := m.serve(t, "OnFollowerWritten", []string{"GOOGLE_CLOUD_PROJECT=" + a.ID, "RELATIONINDEX_DATABASE=" + database, "FIRESTORE_EMULATOR_HOST=" + m.emulator.FirestoreHost()})
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	type delivery struct {
		header http.Header
		body   []byte
		status int
	}
	deliveries := make(chan delivery, 100)
	forward := httputil.NewSingleHostReverseProxy(target)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		answer := httptest.NewRecorder()
		forward.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		deliveries <- delivery{r.Header.Clone(), body, answer.Code}
	}))
	defer between.Close()
	trigger := emulator.Trigger{
		Name: "OnFollowerWritten", Database: database, EventType: "google.cloud.firestore.document.v1.written",
		Document: "users/{userId}/followers/{followerId}", URL: between.URL,
	}
	if err := m.emulator.Broker().Register(t.Context(), a.ID, trigger); err != nil {
		t.Fatal(err)
	}

	a.Must(a.Client.Doc("users/ada/followers/bob").Set(t.Context(), map[string]any{"createdAt": firestore.ServerTimestamp, "n": 7}))
	var got delivery
	select {
	case got = <-deliveries:
	case <-time.After(time.Minute):
		t.Fatal("no event came")
	}
	var data firestoredata.DocumentEventData
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(got.body, &data); err != nil {
		t.Fatalf("the body is no protobuf: %v: %q", err, got.body)
	}
	name := "projects/" + a.ID + "/databases/" + database + "/documents/users/ada/followers/bob"
	if data.GetValue().GetName() != name || data.GetValue().GetFields()["n"].GetIntegerValue() != 7 || data.GetOldValue() != nil {
		t.Errorf("the body is of %s with n = %v", data.GetValue().GetName(), data.GetValue().GetFields()["n"])
	}
	header := map[string]string{}
	for _, key := range []string{"Content-Type", "Ce-Specversion", "Ce-Type", "Ce-Source", "Ce-Subject", "Ce-Document", "Ce-Project", "Ce-Database"} {
		header[key] = got.header.Get(key)
	}
	if diff := cmp.Diff(map[string]string{
		"Content-Type": "application/protobuf", "Ce-Specversion": "1.0", "Ce-Type": trigger.EventType,
		"Ce-Source":  "//firestore.googleapis.com/projects/" + a.ID + "/databases/" + database,
		"Ce-Subject": "documents/users/ada/followers/bob", "Ce-Document": "users/ada/followers/bob",
		"Ce-Project": a.ID, "Ce-Database": database,
	}, header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if got.status != http.StatusNoContent {
		t.Errorf("the process answered %d, want 204", got.status)
	}
	if edge := a.Data("users/bob/following/ada"); edge["indexId"] != "00001" {
		t.Errorf("the edge is %v", edge)
	}
}

// Every function starts in production: with K_SERVICE and without a database,
// which it asks for only when it has something to do.
func TestEveryFunctionStartsAsCloudRunStartsIt(t *testing.T) {
	t.Parallel()
	m, err := theMachine()
	if err != nil {
		t.Fatal(err)
	}
	cfg := schema.Config{
		NoOwnPosts: true, Project: "demo", AuthorFields: []string{"displayName=authorName"},
		Feeds: []string{"relations", "items"}, ReaderSettings: true, Ranked: true, Counts: true, Notifications: true,
	}
	if all := triggers.Names(); len(triggers.Table(cfg)) != len(all) {
		t.Fatalf("the configuration does not deploy all of %v", all)
	}
	// In place of the metadata server. Nothing is sent with it.
	credentials := filepath.Join(t.TempDir(), "credentials.json")
	write(t, credentials, `{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c"}`)
	env := append(envfile.Variables(cfg), "K_SERVICE=relationindex", "K_REVISION=relationindex-00001-abc", "GOOGLE_APPLICATION_CREDENTIALS="+credentials)
	for _, f := range triggers.Table(cfg) {
		url, err := m.serve(t, f.Name, env)
		if err != nil {
			t.Error(err)
			continue
		}
		want := http.StatusMethodNotAllowed // use POST to deliver an event
		if f.Name == triggers.Feed {
			want = http.StatusUnauthorized
		}
		resp, err := http.Get(url) //nolint:gosec // a process of this test
		if err != nil {
			t.Error(err)
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s answers %s, want %d", f.Name, resp.Status, want)
		}
	}
}

// A wrongly deployed process ends before it handles an event, and reports the reason.
func TestWronglyDeployedProcessStops(t *testing.T) {
	t.Parallel()
	built, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		function string
		env      []string
		want     []string
	}{
		"no function of that name": {"OnNothing", []string{"GOOGLE_CLOUD_PROJECT=demo"}, []string{`no matching function found with name: "OnNothing"`}},
		"deployed with the variables of emulators": {
			"OnPostWritten",
			[]string{"GOOGLE_CLOUD_PROJECT=demo", "K_SERVICE=relationindex-on-post-written", "FIRESTORE_EMULATOR_HOST=127.0.0.1:1", "FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:2"},
			[]string{"FIRESTORE_EMULATOR_HOST=", "FIREBASE_AUTH_EMULATOR_HOST=", "must not be set in a deployed function", "relationindex-on-post-written"},
		},
		"wrong variables": {
			"Feed",
			[]string{"GOOGLE_CLOUD_PROJECT=demo", "RELATIONINDEX_CAPACITY=20000", "RELATIONINDEX_IDLE=99999h", "RELATIONINDEX_CORS_ORIGINS=example.com/"},
			[]string{"RELATIONINDEX_CAPACITY=20000: ", "RELATIONINDEX_IDLE=99999h: ", `RELATIONINDEX_CORS_ORIGINS="example.com/": `, "must be"},
		},
		"a variable that is no number": {"Sweep", []string{"GOOGLE_CLOUD_PROJECT=demo", "RELATIONINDEX_FEED_RATE=many"}, []string{"RELATIONINDEX_FEED_RATE", "many"}},
		"no project":                   {"OnJobWritten", nil, []string{"GOOGLE_CLOUD_PROJECT is not set"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, err := os.CreateTemp(t.TempDir(), "log")
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			child, _, err := rehearsal.Serve(t.Context(), built.Program, c.function, c.env, t.TempDir(), log)
			if err == nil {
				child.Stop(0)
				t.Fatal("it starts")
			}
			for _, want := range append(c.want, "exit status 1") {
				if !strings.Contains(strings.ReplaceAll(err.Error(), `\"`, `"`), want) {
					t.Errorf("got %v\nwant in it %q", err, want)
				}
			}
		})
	}
}
