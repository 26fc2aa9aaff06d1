package processes_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/local/processes"
)

// TestMain is also the child that serves the functions, or a stub of them.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "stub" {
		stub(os.Args[3])
	}
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		if err := processes.ServeArgs(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// stub is functions that do nothing. Feed says what it was asked.
func stub(port string) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/Feed" {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.RawQuery, r.Header.Get("Authorization"))
			return
		}
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}
	server := &http.Server{Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(handler), ReadHeaderTimeout: time.Minute}
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
	os.Exit(1)
}

const project = "demo-dev-test"

// The tests share a system on a database of its own, in the order in which they
// are written: the last one kills its functions.
func TestSystem(t *testing.T) {
	system := startWeb(t, processes.Options{Project: project, Auth: true, SweepEvery: 20 * time.Millisecond, Expiry: 100 * time.Millisecond,
		Functions: config.Functions{Database: "blue", Capacity: 10, CopiedFields: []string{"text"}, InlineLimit: 20}})
	t.Run("what an action costs", func(t *testing.T) { actionCosts(t, system) })
	t.Run("documents expire", func(t *testing.T) { documentsExpire(t, system) })
	t.Run("follow and post become a feed", func(t *testing.T) { followAndPost(t, system) })
	t.Run("rules bind clients", func(t *testing.T) {
		resp, err := http.Get("http://" + system.FirestoreHost() + "/v1/projects/" + project + "/databases/blue/documents/posts/alice")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("a client that has not signed in reads a post: %s", resp.Status)
		}
	})
	t.Run("idle gives up with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var notIdle *emulator.NotIdleError
		if err := system.Idle(ctx); !errors.As(err, &notIdle) || !errors.Is(err, context.Canceled) {
			t.Errorf("Idle: %v", err)
		}
	})
	t.Run("the end of the functions is told", func(t *testing.T) { killFunctions(t, system) })
}

func followAndPost(t *testing.T, system *processes.System) {
	client := system.Client()
	for i := range 11 { // one more than the capacity
		set(t, client.Doc(fmt.Sprintf("users/alice/followers/f%d", i)), serverTime)
	}
	set(t, client.Doc("posts/alice"), map[string]any{"userId": "alice", "createdAt": time.Now()})
	wantIdle(t, system)
	for _, id := range []string{"alice_00001", "alice_00002"} {
		if _, err := client.Doc("_relations/" + id).Get(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if stats := system.Stats(); stats.Events < 4 {
		t.Errorf("%d events, want 4 or more", stats.Events)
	}
	if err := system.Err(); err != nil {
		t.Error(err)
	}
}

func set(t *testing.T, doc *firestore.DocumentRef, data map[string]any) {
	t.Helper()
	if _, err := doc.Set(t.Context(), data); err != nil {
		t.Fatal(err)
	}
}

// killFunctions also finds that Idle does not wait for functions that are gone.
func killFunctions(t *testing.T, system *processes.System) {
	idle := make(chan error, 1)
	processes.KillFunctions(system)
	<-system.Done()
	set(t, system.Client().Doc("posts/another"), map[string]any{"userId": "alice", "createdAt": time.Now()})
	go func() { idle <- system.Idle(t.Context()) }()
	for what, err := range map[string]error{"Err": system.Err(), "Idle": <-idle} {
		if err == nil || !strings.Contains(err.Error(), "functions.log") || !strings.Contains(err.Error(), `"function":`) {
			t.Errorf("%s: %v; want the log of the functions and its last lines", what, err)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	tests := map[string]struct {
		options processes.Options
		want    string
	}{
		"no project":         {processes.Options{}, `project ""`},
		"project with slash": {processes.Options{Project: "a/b"}, `project "a/b"`},
		"port":               {processes.Options{Project: project, FirestorePort: 70000}, "firestore port 70000"},
		"same web port":      {processes.Options{Project: project, WebPort: 8080, FunctionsPort: 8080}, "functions port and web port are both 8080"},
		"web port":           {processes.Options{Project: project, WebPort: -1}, "web port -1"},
		"same port":          {processes.Options{Project: project, FirestorePort: 8080, FunctionsPort: 8080}, "must differ"},
		"workers":            {processes.Options{Project: project, Workers: 17}, "workers 17"},
		"chaos":              {processes.Options{Project: project, Chaos: chaos.Rates{Drop: 2}}, "Chaos.Drop = 2"},
		"weather":            {processes.Options{Project: project, Weather: &weather.Options{Building: -1}}, "weather: Building = -1ns"},
		"pause":              {processes.Options{Project: project, SweepEvery: -1}, "sweep every -1ns"},
		"rules":              {processes.Options{Project: project, Functions: config.Functions{Posts: "notes"}}, "firestore.rules has no match /notes/{"},
		"capacity":           {processes.Options{Project: project, Functions: config.Functions{Capacity: 10_001}}, "capacity 10001"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := processes.Start(t.Context(), tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Start: %v, want %q", err, tt.want)
			}
		})
	}
}

func TestServeChecksBeforeItServes(t *testing.T) {
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	if err := processes.Serve(t.Context(), 8080); err == nil || !strings.Contains(err.Error(), "GOOGLE_CLOUD_PROJECT") {
		t.Errorf("Serve without a project: %v", err)
	}
	if err := processes.Serve(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "port 0") {
		t.Errorf("Serve on port 0: %v", err)
	}
	for _, args := range [][]string{nil, {"--port"}, {"--port", "x"}, {"--host", "1"}} {
		if err := processes.ServeArgs(t.Context(), args); err == nil {
			t.Errorf("ServeArgs(%q) succeeded", args)
		}
	}
}
