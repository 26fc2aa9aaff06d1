package processes

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/relationindex/emulator/auth"
	"example.com/relationindex/local/site"
	"example.com/relationindex/schema"
)

// Without firebase-tools a system goes on without sign-in, and says how to get it. An Auth emulator that this process was
// told of is none of the system's.
func TestWithoutTheAuthEmulator(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", t.TempDir())
	s := &System{options: Options{Project: "demo-a", Auth: true}, cfg: schema.Config{NoOwnPosts: true, Project: "demo-a", AuthEmulatorHost: "192.0.2.1:1"}}
	if err := s.startAuth(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.NoAuth(); !errors.Is(err, auth.ErrNotInstalled) || !strings.Contains(err.Error(), "cd web && npm ci") || s.AuthHost() != "" {
		t.Errorf("NoAuth: %v, AuthHost %q", err, s.AuthHost())
	}
	handler, err := site.Handler(site.Options{Config: s.Config()})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/config.json", nil))
	text, policy := answer.Body.String(), answer.Header().Get("Content-Security-Policy")
	if !strings.Contains(text, "firestoreHost") || strings.Contains(text, "authHost") || policy == "" || strings.Contains(policy, "192.0.2.1") {
		t.Errorf("the pages are told of an Auth emulator: %s, %s", text, policy)
	}
	s = &System{cfg: schema.Config{NoOwnPosts: true, AuthEmulatorHost: "192.0.2.1:1"}}
	if err := s.startAuth(t.Context()); err != nil || s.NoAuth() != nil || s.AuthHost() != "" {
		t.Errorf("not asked for: %v, %v, %q", err, s.NoAuth(), s.AuthHost())
	}
}
