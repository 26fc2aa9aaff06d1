//go:build unix

package auth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/emulator/auth"
)

const project = "demo-auth-test"

// start starts an emulator, with its temporary files in a directory that is returned.
func start(t *testing.T, o auth.Options) (e *auth.Emulator, dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("TMPDIR", dir)
	o.Project = project
	e, err := auth.Start(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal("these tests need the Auth emulator:", err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, dir
}

// A person signs up by REST, and gets an ID token of the project.
func TestSignUp(t *testing.T) {
	e, dir := start(t, auth.Options{})
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
	if claims.Aud != project || claims.Sub == "" || claims.Sub != answer.LocalID {
		t.Errorf("the token is for %+v, want project %q and user %q", claims, project, answer.LocalID)
	}
	if err := e.Err(); err != nil {
		t.Error(err)
	}

	group := groupBelow(t, dir)
	if err := errors.Join(e.Close(), e.Close(), e.Err()); err != nil {
		t.Error(err)
	}
	<-e.Done()
	if _, err := net.DialTimeout("tcp", e.Host(), time.Second); err == nil {
		t.Error("somebody still listens")
	}
	if left := alive(t, group); len(left) > 0 {
		t.Errorf("Close leaves the processes %v", left)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("Close leaves the files %v, %v", left, err)
	}
}

// The emulator ends with its context; one that is killed says so, with its log.
func TestTheEndIsTold(t *testing.T) {
	log := filepath.Join(t.TempDir(), "auth.log")
	e, dir := start(t, auth.Options{LogFile: log})
	for _, pid := range groupBelow(t, dir) {
		process, err := os.FindProcess(pid)
		if err == nil {
			err = process.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	<-e.Done()
	// However far the log has come, each of its lines names them.
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), log) || !strings.Contains(err.Error(), "emulators") {
		t.Errorf("Err: %v, want the end of %s", err, log)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// groupBelow are the processes whose command line names a file below dir.
func groupBelow(t *testing.T, dir string) (pids []int) {
	t.Helper()
	for pid, command := range commands(t) {
		if strings.Contains(command, dir) && strings.Contains(command, "firebase") {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		t.Fatal("no process is below", dir)
	}
	return pids
}

func alive(t *testing.T, pids []int) (left []int) {
	t.Helper()
	all := commands(t)
	for _, pid := range pids {
		if _, ok := all[pid]; ok {
			left = append(left, pid)
		}
	}
	return left
}

// commands are the command lines of all processes that run.
func commands(t *testing.T) map[int]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-A", "-ww", "-o", "pid=,stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 || strings.HasPrefix(f[1], "Z") {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		if err != nil {
			t.Fatal(err)
		}
		all[pid] = strings.Join(f[2:], " ")
	}
	return all
}
