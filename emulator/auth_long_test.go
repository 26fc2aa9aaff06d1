//go:build long && unix

package emulator_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/emulator/auth"
)

// A person signs up by REST, and gets an ID token of the project. Close leaves nothing.
func TestSignUp(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	e, err := auth.Start(context.WithoutCancel(t.Context()), auth.Options{Project: authProject})
	if err != nil {
		t.Fatal("this test needs the Auth emulator:", err)
	}
	defer e.Close()
	resp, err := http.Post("http://"+e.Host()+"/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any", "application/json",
		strings.NewReader(`{"email":"ada@example.com","password":"secret-1","returnSecureToken":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct{ IDToken, LocalID string }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("sign-up: %s, %v", resp.Status, err)
	}
	_, rest, _ := strings.Cut(answer.IDToken, ".")
	payload, _, _ := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		t.Fatal(err)
	}
	var claims struct{ Aud, Sub string }
	if err := json.Unmarshal(text, &claims); err != nil {
		t.Fatal(err)
	}
	if claims.Aud != authProject || claims.Sub == "" || claims.Sub != answer.LocalID {
		t.Errorf("the token is for %+v, want project %q and user %q", claims, authProject, answer.LocalID)
	}
	malformed, err := http.Post("http://"+e.Host()+"/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any", "application/json", strings.NewReader(`{"email":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _ = malformed.Body.Close(); malformed.StatusCode != http.StatusBadRequest {
		t.Errorf("an address that is a list: %s, want that it is refused", malformed.Status)
	}
	if err := e.Err(); err != nil {
		t.Error(err)
	}

	if !runsBelow(t, dir) {
		t.Fatal("no process is below", dir)
	}
	if err := errors.Join(e.Close(), e.Close(), e.Err()); err != nil {
		t.Error(err)
	}
	<-e.Done()
	if _, err := net.DialTimeout("tcp", e.Host(), time.Second); err == nil {
		t.Error("somebody still listens")
	}
	if runsBelow(t, dir) {
		t.Error("Close leaves processes")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("Close leaves the files %v, %v", left, err)
	}
}

// runsBelow says whether a process has a file below dir in its command line.
func runsBelow(t *testing.T, dir string) bool {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-A", "-ww", "-o", "stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "Z") && strings.Contains(line, dir) {
			return true
		}
	}
	return false
}
