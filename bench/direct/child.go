package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// child is the command line, as a process on a database.
type child struct {
	cmd            *exec.Cmd
	began          time.Time
	stdout, stderr bytes.Buffer
	ended          chan error
}

// start starts the program. It is killed when ctx ends.
func start(ctx context.Context, program, host, project string, args ...string) (*child, error) {
	c := &child{began: time.Now(), ended: make(chan error, 1)}
	c.cmd = exec.CommandContext(ctx, program, append(args, "--project", project)...)
	c.cmd.Env = append(c.cmd.Environ(), "FIRESTORE_EMULATOR_HOST="+host)
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { c.ended <- c.cmd.Wait() }()
	return c, nil
}

// finish waits for the program, and returns what it printed.
func (c *child) finish() (string, error) {
	if err := <-c.ended; err != nil {
		return "", fmt.Errorf("relationindex %s: %w\n%s%s", strings.Join(c.cmd.Args[1:], " "), err, &c.stdout, &c.stderr)
	}
	return c.stdout.String(), nil
}

// imported is what import --direct --json prints.
type imported struct {
	Imported        int64   `json:"imported"`
	EdgesPerSecond  float64 `json:"edgesPerSecond"`
	PeakMemoryBytes int64   `json:"peakMemoryBytes"`
}

// startImport starts the import; more are further flags.
func startImport(ctx context.Context, program, host, project, file string, more ...string) (*child, error) {
	args := append([]string{"import", "follows", file, "--columns", graphColumns, "--direct", "--json"}, more...)
	return start(ctx, program, host, project, args...)
}

func (c *child) finishImport() (imported, error) {
	var i imported
	printed, err := c.finish()
	if err != nil {
		return i, err
	}
	if err := json.Unmarshal([]byte(printed), &i); err != nil {
		return i, fmt.Errorf("import printed %q: %w", printed, err)
	}
	return i, nil
}

// lastLine runs a command on a database, and is the last line that it prints. It
// is an error that says so if the command finds something.
func lastLine(ctx context.Context, program, host, project string, args ...string) (string, error) {
	c, err := start(ctx, program, host, project, args...)
	if err != nil {
		return "", err
	}
	printed, err := c.finish()
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	return lines[len(lines)-1], err
}

// verify is the last line of verify.
func verify(ctx context.Context, program, host, project string) (string, error) {
	return lastLine(ctx, program, host, project, "verify")
}
