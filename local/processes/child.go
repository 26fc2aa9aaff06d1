package processes

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"example.com/relationindex/emulator/process"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/schema"
)

// loopback is the only interface that anything here listens on.
const loopback = "127.0.0.1"

// stopGrace is the time from the request to end the functions until they are killed.
const stopGrace = 5 * time.Second

// startFunctions starts the child that serves the functions. When the child answers, startFunctions returns
// the child and its URL.
func startFunctions(ctx context.Context, command []string, cfg schema.Config, logFile string) (*process.Child, string, error) {
	if command == nil {
		self, err := os.Executable()
		if err != nil {
			return nil, "", fmt.Errorf("find the path of this program, which also runs the functions: %w", err)
		}
		command = []string{self, "functions"}
	}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // a log of ours
	if err != nil {
		return nil, "", fmt.Errorf("log file of the functions: %w", err)
	}
	defer log.Close() // the child has its own descriptor
	child, host, err := process.Server{
		Name:  "the functions",
		Ports: []int{0},
		Start: func(ports []int) (*process.Child, error) {
			return process.Start(slices.Concat(command, []string{"--port", strconv.Itoa(ports[0])}), envfile.Environ(cfg), log)
		},
		Ready: func(ctx context.Context, host string) bool {
			// The functions reject a GET of OnJobWritten. Another server that happens to have the port does not.
			return process.Status(ctx, "http://"+host+"/OnJobWritten") == http.StatusMethodNotAllowed
		},
		Grace: stopGrace,
	}.Serve(ctx)
	return child, "http://" + host, err
}
