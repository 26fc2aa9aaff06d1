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
	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

// loopback is the only interface that anything here listens on.
const loopback = "127.0.0.1"

// stopGrace is from asking the functions to end to killing them.
const stopGrace = 5 * time.Second

// startFunctions starts the child that serves the functions, and returns when
// it answers, and at which URL.
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
			return process.Start(slices.Concat(command, []string{"--port", strconv.Itoa(ports[0])}), config.Environ(cfg), log)
		},
		Ready: func(ctx context.Context, host string) bool {
			// One of them refuses a GET. Another server that happens to have the port does not.
			return process.Status(ctx, "http://"+host+"/OnJobWritten") == http.StatusMethodNotAllowed
		},
		Grace: stopGrace,
	}.Serve(ctx)
	return child, "http://" + host, err
}
