package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/process"
)

// loopback is the only interface that anything here listens on.
const loopback = "127.0.0.1"

// portTries is how often a port is looked for that nobody takes before the
// child does.
const portTries = 5

// stopGrace is from asking the functions to end to killing them.
const stopGrace = 5 * time.Second

// startFunctions starts the child that serves the functions, and returns when
// it answers, and at which URL.
func startFunctions(ctx context.Context, command []string, cfg config.Functions, logFile string) (*process.Child, string, error) {
	if command == nil {
		self, err := os.Executable()
		if err != nil {
			return nil, "", fmt.Errorf("find this program, to start it again for the functions: %w", err)
		}
		command = []string{self, "functions"}
	}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // a log of ours
	if err != nil {
		return nil, "", fmt.Errorf("log file of the functions: %w", err)
	}
	defer log.Close() // the child has its own descriptor
	for try := 1; ; try++ {
		p, url, err := startOnce(ctx, command, cfg, log)
		if err == nil || try == portTries || !strings.Contains(err.Error(), "address already in use") {
			return p, url, err
		}
	}
}

func startOnce(ctx context.Context, command []string, cfg config.Functions, log *os.File) (*process.Child, string, error) {
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	p, err := process.Start(slices.Concat(command, []string{"--port", strconv.Itoa(port)}), cfg.Environ(), log)
	if err != nil {
		return nil, "", fmt.Errorf("start the functions: %w", err)
	}
	failed := make(chan error, 1)
	go func() {
		<-p.Done()
		failed <- errEnded
	}()
	url := "http://" + net.JoinHostPort(loopback, strconv.Itoa(port))
	if err := answers(ctx, url, failed); err != nil {
		p.Stop(stopGrace)
		if errors.Is(err, errEnded) {
			err = p.Failure("the functions")
		}
		return nil, "", err
	}
	return p, url, nil
}

// errEnded says that the child ended before it answered.
var errEnded = errors.New("ended")

func freePort() (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, fmt.Errorf("port of the functions: %w", err)
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// answers waits until functions are served at url: until one of them refuses a
// GET. Another server that happens to have the port by then does not.
func answers(ctx context.Context, url string, failed <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/OnJobWritten", nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusMethodNotAllowed {
				return nil
			}
		}
		select {
		case err := <-failed:
			return fmt.Errorf("serve functions at %s: %w", url, err)
		case <-ctx.Done():
			return fmt.Errorf("no answer from the functions at %s: %w", url, ctx.Err())
		case <-tick.C:
		}
	}
}
