package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/internal/config/emulatorenv"
	"example.com/relationindex/internal/process"
)

// loopback is the only interface that the emulator listens on.
const loopback = "127.0.0.1"

const (
	what         = "the Auth emulator"
	portTries    = 5 // to find ports that nobody takes between our looking and the emulator's taking them
	startTimeout = 2 * time.Minute
	readyPoll    = 50 * time.Millisecond
	stopGrace    = 10 * time.Second // it takes about a second to end when asked; after this it is killed
)

// errPortTaken means that the emulator could not listen on one of its ports.
var errPortTaken = errors.New("address already in use")

// launch starts program below dir and returns when it answers, and where.
func launch(ctx context.Context, program, dir string, o Options) (*process.Child, string, error) {
	if o.LogFile == "" {
		o.LogFile = filepath.Join(dir, "auth.log")
	}
	log, err := os.OpenFile(o.LogFile, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, "", fmt.Errorf("log file of the Auth emulator: %w", err)
	}
	defer log.Close() // the child has its own descriptor
	for try := 1; ; try++ {
		p, host, err := launchOnce(ctx, program, dir, o, log)
		if try < portTries && errors.Is(err, errPortTaken) {
			continue
		}
		return p, host, err
	}
}

func launchOnce(ctx context.Context, program, dir string, o Options, log *os.File) (*process.Child, string, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, "", err
	}
	file := filepath.Join(dir, "firebase.json")
	if err := os.WriteFile(file, configuration(ports), 0o600); err != nil {
		return nil, "", fmt.Errorf("configuration of the Auth emulator: %w", err)
	}
	command := []string{program, "emulators:start", "--only", "auth", "--project", o.Project, "--config", file}
	p, err := process.StartIn(dir, command, emulatorenv.FirebaseTools(dir), log) // it writes into its working directory
	if err != nil {
		return nil, "", fmt.Errorf("start %s: %w", program, err)
	}
	host := net.JoinHostPort(loopback, strconv.Itoa(ports[0]))
	if err := answers(ctx, p, host); err != nil {
		p.Stop(stopGrace)
		return nil, "", err
	}
	return p, host, nil
}

// configuration is a firebase.json with the emulator, and with what firebase-tools always starts beside one.
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

// answers waits until the emulator answers. The error of one that ended first shows its last words.
func answers(ctx context.Context, p *process.Child, host string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	for {
		select {
		case <-p.Done():
			err := p.Failure(what)
			if strings.Contains(err.Error(), "port taken") {
				err = fmt.Errorf("%w: %w", errPortTaken, err)
			}
			return err
		case <-ctx.Done():
			return fmt.Errorf("wait for the Auth emulator to answer at %s, see %s: %w", host, p.Log(), ctx.Err())
		case <-poll.C:
		}
		// Somebody else may answer at this port; then ours ends because the port is taken.
		if ready(ctx, host) && !p.Ended() {
			return nil
		}
	}
}

// ready asks once whether an Auth emulator at host takes requests.
func ready(ctx context.Context, host string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
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

// freePorts returns n different ports that nothing listens on at this moment.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
		if err != nil {
			return nil, fmt.Errorf("port of the Auth emulator: %w", err)
		}
		defer l.Close() // when all are found, or two could be the same
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}
