//go:build long

package processes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local/processes"
)

// notices are what a system has said of projects.
type notices struct {
	mu    sync.Mutex
	lines []string
}

func (n *notices) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

func (n *notices) count(text string) (found int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.lines {
		if strings.Contains(line, text) {
			found++
		}
	}
	return found
}

// An app that was initialized with any demo- project gets its follows and posts indexed, from its first write on.
func TestAnyProject(t *testing.T) {
	said := &notices{}
	system := startWeb(t, processes.Options{Project: "demo-own", AnyProject: true, Auth: true, AllowHosts: []string{allowedHost}, Notice: said.add})
	token, uid := signUp(t, system)

	t.Run("other sites are refused", func(t *testing.T) { otherSites(t, system) })
	t.Run("pages of this machine may read", func(t *testing.T) { localPages(t, system) })
	t.Run("gRPC clients name the host", func(t *testing.T) { grpcCallers(t, system) })
	t.Run("by gRPC", func(t *testing.T) {
		client := open(t, system, "demo-app")
		set(t, client.Doc("users/ada/followers/"+uid), serverTime) // the first request
		set(t, client.Doc("posts/p1"), map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": time.Now(), "text": "hello"})
		wantRelation(t, system, client, "demo-app", "_relations/p1_00001")
		wantFeed(t, system.WebURL()+"/projects/demo-app/Feed", token, "p1")
		wantFeed(t, system.FeedURL(), token) // of the system's own project
	})
	t.Run("by REST", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "http://"+system.FirestoreHost()+"/v1/projects/demo-rest/databases/(default)/documents/users/ada/followers/bob",
			strings.NewReader(`{"fields":{"createdAt":{"timestampValue":"2026-01-02T03:04:05Z"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer owner"}, "Content-Type": {"application/json"}}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		client := open(t, system, "demo-rest")
		wantRelation(t, system, client, "demo-rest", "users/bob/following/ada")
	})
	t.Run("the system's own", func(t *testing.T) {
		set(t, open(t, system, "demo-own").Doc("users/ada/followers/bob"), serverTime)
		wantRelation(t, system, system.Client(), "demo-own", "users/bob/following/ada")
	})
	t.Run("jobs go on, and Feed knows projects that nothing else has named", func(t *testing.T) {
		wantFeed(t, system.WebURL()+"/projects/demo-feed/Feed", token)
		client := open(t, system, "demo-feed")
		for i := range 105 { // more than a function rewrites at once
			set(t, client.Doc(fmt.Sprintf("posts/p%d", i)), map[string]any{"userId": "ada", "createdAt": time.Now()})
		}
		set(t, client.Doc("users/ada/followers/bob"), serverTime)
		wantRelation(t, system, client, "demo-feed", "_relations/p104_00001")
	})
	t.Run("a real project has none", func(t *testing.T) {
		client := open(t, system, "real-app")
		set(t, client.Doc("users/ada/followers/bob"), serverTime)
		set(t, client.Doc("users/ada/followers/eve"), serverTime)
		if err := system.Broker().Idle(t.Context(), "real-app"); err == nil {
			t.Error("it has triggers")
		}
		if said.count(`"real-app" has no triggers`) != 1 || said.count("demo-app has triggers") != 1 || said.count("demo-own") != 0 {
			t.Errorf("it said %q", said.lines)
		}
		if resp, text := sendTo(t, system, "GET", "/projects/real-app/Feed"); resp.StatusCode != http.StatusNotFound {
			t.Errorf("Feed: %s %s", resp.Status, text)
		}
		if resp, text := sendTo(t, system, "GET", "/config.json?project=real-app"); resp.StatusCode != http.StatusNotFound {
			t.Errorf("config.json: %s %s", resp.Status, text)
		}
	})
	t.Run("config.json", func(t *testing.T) {
		_, text := sendTo(t, system, "GET", "/config.json?project=demo-new")
		config := decoded(t, text)
		if got := config["feedURL"]; got != system.WebURL()+"/projects/demo-new/Feed" {
			t.Errorf("feedURL is %s", got)
		}
		if got := config["firebase"].(map[string]any)["projectId"]; got != "demo-new" {
			t.Errorf("projectId is %s", got)
		}
	})
	t.Run("there is a limit", func(t *testing.T) {
		for i := range processes.MaxProjects - 3 { // demo-app, demo-rest and demo-feed are there
			if resp, text := sendTo(t, system, "GET", fmt.Sprintf("/projects/demo-%d/Feed", i)); resp.StatusCode != http.StatusUnauthorized {
				t.Fatalf("project %d: %s %s", i, resp.Status, text)
			}
		}
		_, err := open(t, system, "demo-more").Doc("users/ada").Set(t.Context(), serverTime)
		if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "20 other projects already") {
			t.Errorf("the next project: %v", err)
		}
		set(t, open(t, system, "demo-app").Doc("users/ada/followers/eve"), serverTime) // goes on
	})
}

// open is a client as an app's server has it, of a project.
func open(t *testing.T, system *processes.System, project string) *firestore.Client {
	t.Helper()
	client, err := wire.Open(t.Context(), project, system.FirestoreHost())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// wantRelation waits until a project is idle, and finds a document that the functions have written.
func wantRelation(t *testing.T, system *processes.System, client *firestore.Client, project, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := system.Broker().Idle(ctx, emulator.Name(project, "")); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Doc(path).Get(t.Context()); err != nil {
		t.Error(err)
	}
}

func wantFeed(t *testing.T, url, token string, want ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var page struct{ Posts []struct{ ID string } }
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
	var got []string
	for _, post := range page.Posts {
		got = append(got, post.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: posts %q, want %q", url, got, want)
	}
}

// signUp makes an account, as the SDKs do.
func signUp(t *testing.T, system *processes.System) (token, uid string) {
	t.Helper()
	resp, err := http.Post("http://"+system.AuthHost()+"/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo", "application/json",
		strings.NewReader(`{"email":"ada@example.com","password":"secret-1","returnSecureToken":true}`))
	if err != nil {
		t.Fatal("this test needs the Auth emulator:", err, system.NoAuth())
	}
	defer resp.Body.Close()
	var account struct{ IDToken, LocalID string }
	if err := json.NewDecoder(resp.Body).Decode(&account); err != nil {
		t.Fatal(err)
	}
	return account.IDToken, account.LocalID
}
