package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"example.com/relationindex/internal/process"
)

const (
	portTries    = 5 // to find one that nobody takes before the process does
	readyTimeout = time.Minute
	stopGrace    = 5 * time.Second // Cloud Run gives 10
)

// Serve starts a program as the named function and returns when it answers, and at
// which URL. env is its environment, but for FUNCTION_TARGET and PORT; dir is where
// it runs; log gets what it prints. Stop the process when it is no longer needed.
// The error of one that ends by itself has its last words.
func Serve(ctx context.Context, program, function string, env []string, dir string, log *os.File) (*process.Child, string, error) {
	for try := 1; ; try++ {
		child, url, err := serveOnce(ctx, program, function, env, dir, log)
		if err == nil || try == portTries || !strings.Contains(err.Error(), "address already in use") {
			return child, url, err
		}
	}
}

func serveOnce(ctx context.Context, program, function string, env []string, dir string, log *os.File) (*process.Child, string, error) {
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	env = append([]string{"FUNCTION_TARGET=" + function, "PORT=" + port}, env...)
	child, err := process.StartIn(dir, []string{program}, env, log)
	if err != nil {
		return nil, "", fmt.Errorf("start %s as %s: %w", program, function, err)
	}
	url := "http://127.0.0.1:" + port + "/"
	if err := answers(ctx, child, url); err != nil {
		child.Stop(stopGrace)
		if errors.Is(err, errEnded) {
			err = child.Failure("function " + function)
		}
		return nil, "", err
	}
	return child, url, nil
}

var errEnded = errors.New("ended")

// answers waits until a process answers at url, whatever it answers: Cloud Run
// asks for no more than an open port.
func answers(ctx context.Context, child *process.Child, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ask := time.NewTicker(2 * time.Millisecond)
	defer ask.Stop()
	for {
		select {
		case <-child.Done():
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("wait for an answer of %s: %w", url, ctx.Err())
		case <-ask.C:
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			return resp.Body.Close()
		}
	}
}

// taken are the ports that freePort has returned: two processes that start at once
// must not get the same, of which the second would be taken for the first.
var taken sync.Map

func freePort() (string, error) {
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", fmt.Errorf("port of a function: %w", err)
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		if err := l.Close(); err != nil {
			return "", err
		}
		if _, again := taken.LoadOrStore(port, true); !again {
			return port, nil
		}
	}
}
