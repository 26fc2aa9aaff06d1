//go:build long

// Package processes_test starts whole systems, in processes of their own.
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
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
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

// The tests share a system on a database of its own, in the order in which they
// are written: the last one kills its functions.
func TestSystem(t *testing.T) {
	system := startWeb(t, processes.Options{Project: project, Auth: true, SweepEvery: 20 * time.Millisecond, Expiry: 100 * time.Millisecond,
		Functions: schema.Config{NoOwnPosts: true, Database: "blue", Capacity: 10, CopiedFields: []string{"text"}, InlineLimit: 20}})
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

// wantEnd waits until a channel is closed, for some minutes at most.
func wantEnd(t *testing.T, what string, ended <-chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(3 * time.Minute):
		t.Fatal("no end of", what)
	}
}

// killFunctions also finds that Idle does not wait for functions that are gone.
func killFunctions(t *testing.T, system *processes.System) {
	idle := make(chan error, 1)
	worker, err := os.FindProcess(system.PIDs()[0]) // behind the system's back
	if err == nil {
		err = worker.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	wantEnd(t, "the system, after its functions", system.Done())
	set(t, system.Client().Doc("posts/another"), map[string]any{"userId": "alice", "createdAt": time.Now()})
	go func() { idle <- system.Idle(t.Context()) }()
	for what, err := range map[string]error{"Err": system.Err(), "Idle": <-idle} {
		if err == nil || !strings.Contains(err.Error(), "functions.log") || !strings.Contains(err.Error(), `"function":`) {
			t.Errorf("%s: %v; want the log of the functions and its last lines", what, err)
		}
	}
}
