package deploy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// root is the module's directory.
const root = "../.."

// sdk is the installed gcloud: its Python, and where it is. Tests end without it.
var sdk = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("gcloud", "info", "--format=value[separator=\"\n\"](basic.python_location,installation.sdk_root)").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) != 2 {
		return nil, fmt.Errorf("these tests need the gcloud SDK, see scripts/setup: %w: %s", err, out)
	}
	return fields, nil
})

// realGcloud is a process of the installed gcloud whose requests go to the fake
// wire at base. Its settings are those of a user who has just installed it.
type realGcloud struct {
	mu  sync.Mutex
	in  io.WriteCloser
	out *bufio.Reader
}

// services are the APIs that commands of a plan talk to, as gcloud names them.
var services = []string{
	"artifactregistry", "cloudbuild", "cloudfunctions", "cloudresourcemanager", "cloudscheduler", "eventarc",
	"firestore", "iam", "logging", "monitoring", "run", "serviceusage",
}

func startGcloud(t *testing.T, base string) *realGcloud {
	t.Helper()
	found, err := sdk()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte(accessToken), 0o600); err != nil {
		t.Fatal(err)
	}
	driver, err := filepath.Abs("testdata/gcloud.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), found[0], "-S", driver, found[1])
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(cmd.Environ(), "CLOUDSDK_CONFIG="+dir, "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE="+token, "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=true",
		"CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=true", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	for _, s := range services {
		cmd.Env = append(cmd.Env, "CLOUDSDK_API_ENDPOINT_OVERRIDES_"+strings.ToUpper(s)+"="+base+"/"+s+"/")
	}
	g := &realGcloud{}
	if g.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = g.in.Close() // which ends it
		_ = cmd.Wait()
	})
	return g
}

// run runs a command of gcloud, without its first word.
func (g *realGcloud) run(args []string) (string, error) {
	line, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := g.in.Write(append(line, '\n')); err != nil {
		return "", err
	}
	answer, err := g.out.ReadBytes('\n')
	if err != nil {
		return "", fmt.Errorf("gcloud ended: %w", err)
	}
	var result struct {
		Code           int
		Stdout, Stderr string
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return "", err
	}
	if result.Code != 0 {
		return result.Stdout, errors.New(strings.TrimSpace(result.Stderr))
	}
	return result.Stdout, nil
}
