//go:build long

package deploy_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// realGcloud is a process of the installed gcloud. Its settings are those of a user who has just installed it.
type realGcloud struct {
	cmd *exec.Cmd
	dir string

	mu  sync.Mutex
	in  io.WriteCloser
	out *bufio.Reader
	// known are the answers to commands that change nothing, by their arguments.
	known map[string][]answer
}

// answer is what a command has printed, and what it had asked the cloud for.
type answer struct {
	asked []exchange
	text  string
}

// services are the APIs that commands of a plan talk to, as gcloud names them.
var services = []string{
	"artifactregistry", "cloudbuild", "cloudfunctions", "cloudresourcemanager", "cloudscheduler", "eventarc",
	"firestore", "iam", "logging", "monitoring", "run", "secretmanager", "serviceusage",
}

// gcloudProcess is the one that all tests share: loading its commands takes longer than running them.
var gcloudProcess = sync.OnceValues(startGcloud)

func TestMain(m *testing.M) {
	flag.Parse()
	if *forward != "" {
		os.Exit(forwarded(flag.Args()))
	}
	code := m.Run()
	if g, err := gcloudProcess(); err == nil {
		g.end()
	}
	os.Exit(code)
}

func startGcloud() (*realGcloud, error) {
	out, err := exec.Command("gcloud", "info", "--format=value[separator=\"\n\"](basic.python_location,installation.sdk_root)").Output()
	found := strings.Fields(string(out))
	if err != nil || len(found) != 2 {
		return nil, fmt.Errorf("these tests need the gcloud SDK, see scripts/setup: %w: %s", err, out)
	}
	g := &realGcloud{known: map[string][]answer{}}
	if g.dir, err = os.MkdirTemp("", "deploy-test-"); err != nil {
		return nil, err
	}
	// A module that is uploaded in no time, and a token.
	for name, text := range map[string]string{"go.mod": "module m", "function.go": "package m", "token": accessToken} {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	driver, err := filepath.Abs("testdata/gcloud.py")
	if err != nil {
		return nil, err
	}
	g.cmd = exec.Command(found[0], "-S", driver, found[1])
	g.cmd.Dir, g.cmd.Stderr = g.dir, os.Stderr
	g.cmd.Env = append(g.cmd.Environ(), "CLOUDSDK_CONFIG="+g.dir, "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE="+filepath.Join(g.dir, "token"), "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=true",
		"CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=true", "CLOUDSDK_CORE_INTERACTIVE_UX_STYLE=OFF", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	g.out = bufio.NewReader(stdout)
	return g, g.cmd.Start()
}

// end ends the process by the end of its input.
func (g *realGcloud) end() {
	_ = g.in.Close()
	_ = g.cmd.Wait()
	_ = os.RemoveAll(g.dir)
}

// run runs a command of gcloud, without its first word, against a cloud. A command that asks, and changes nothing,
// is run once: as long as a cloud answers what it asks for as before, gcloud prints what it printed.
func (g *realGcloud) run(c *cloud, args []string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := strings.Join(args, "\x00")
	for _, known := range g.known[key] {
		if c.still(known.asked) {
			return known.text, nil
		}
	}
	environment := map[string]string{}
	for _, s := range services {
		environment["CLOUDSDK_API_ENDPOINT_OVERRIDES_"+strings.ToUpper(s)] = c.URL + ofGcloud + "/" + s + "/"
	}
	c.listen()
	text, err := g.send(map[string]any{"env": environment, "args": args, "parse": false})
	if asked, touched := c.heard(); !touched && len(asked) > 0 && err == nil {
		g.known[key] = append(g.known[key], answer{asked, text})
	}
	return text, err
}

// parse says what gcloud's parser has against a command.
func (g *realGcloud) parse(args []string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := g.send(map[string]any{"env": map[string]string{}, "args": args, "parse": true})
	return err
}

// send sends a command to the process, whose mutex must be held.
func (g *realGcloud) send(command map[string]any) (string, error) {
	line, err := json.Marshal(command)
	if err != nil {
		return "", err
	}
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
