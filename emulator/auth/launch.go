package auth

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/emulator/process"
)

// loopback is the only interface that the emulator listens on.
const loopback = "127.0.0.1"

const (
	what      = "the Auth emulator"
	stopGrace = 10 * time.Second // usually it takes about a second to end; after this it is killed
)

// launch starts program in dir. When the emulator answers, launch returns its process and its host:port.
func launch(ctx context.Context, program, dir string, o Options) (*process.Child, string, error) {
	if o.LogFile == "" {
		o.LogFile = filepath.Join(dir, "auth.log")
	}
	log, err := os.OpenFile(o.LogFile, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, "", fmt.Errorf("open the log file of the Auth emulator: %w", err)
	}
	defer log.Close() // the child has its own descriptor
	module := filepath.Join(dir, "lazy.cjs")
	if err := os.WriteFile(module, lazy, 0o600); err != nil {
		return nil, "", fmt.Errorf("write the start module of the Auth emulator: %w", err)
	}
	return process.Server{
		Name:  what,
		Ports: []int{0, 0, 0},
		Start: func(ports []int) (*process.Child, error) {
			file := filepath.Join(dir, "firebase.json")
			if err := os.WriteFile(file, configuration(ports), 0o600); err != nil {
				return nil, err
			}
			command := []string{program, "emulators:start", "--only", "auth", "--project", o.Project, "--config", file}
			return process.StartIn(dir, command, environment(dir, module), log) // it writes into its working directory
		},
		Ready: ready,
		Grace: stopGrace,
	}.Serve(ctx)
}

// lazy is a Node module that makes the emulator start in a quarter of the time.
//
//go:embed lazy.cjs
var lazy []byte

// environment returns the environment of this process for firebase-tools as a child. firebase-tools keeps its files in dir, so
// two of them do not see each other. It does not check for news of itself on the network, and leaves no process behind for
// that. It begins with a module of ours.
func environment(dir, module string) []string {
	return append(os.Environ(), // the last value of a variable counts
		"CI=1", "NO_COLOR=1", "TMPDIR="+dir, "XDG_CONFIG_HOME="+dir,
		"NODE_OPTIONS="+strings.TrimSpace("--require "+strconv.Quote(module)+" "+os.Getenv("NODE_OPTIONS")))
}

// configuration returns a firebase.json with the emulator, and with the other servers that firebase-tools always starts.
func configuration(ports []int) []byte {
	type listen struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	}
	text, _ := json.Marshal(map[string]any{"emulators": map[string]any{ // strings and numbers always marshal
		"auth":              listen{loopback, ports[0]},
		"hub":               listen{loopback, ports[1]},
		"logging":           listen{loopback, ports[2]},
		"ui":                map[string]bool{"enabled": false},
		"singleProjectMode": false,
	}})
	return text
}

// ready probes once whether an Auth emulator at host accepts requests.
func ready(ctx context.Context, host string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var answer struct {
		AuthEmulator struct{ Ready bool } `json:"authEmulator"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&answer)
	return err == nil && answer.AuthEmulator.Ready
}
