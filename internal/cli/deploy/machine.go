package deploy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/internal/cli/upload"
)

// Machine is where plans are carried out.
type Machine struct {
	// Run runs a program with its arguments, and returns what it prints to standard
	// output. The error has the end of what it prints to standard error.
	Run func(ctx context.Context, args []string) (string, error)
	// Work is a directory for the files that commands read.
	Work string
	// SourceDigest and SourceBytes are of what is uploaded; SourceErr is why that is not known.
	SourceDigest string
	SourceBytes  int64
	SourceErr    error
	// RulesAPI is the base of the Security Rules API.
	RulesAPI string
	// Wait waits before a command is tried again.
	Wait func(context.Context, time.Duration) error
	// Told is told of each step, as it begins and with what became of it.
	Told func(Told)
}

// Told is what is told of a step.
type Told struct {
	Step        Step
	Number, All int
	// Outcome is "" when the step begins.
	Outcome Outcome
}

// Outcome is what became of a step.
type Outcome string

// The outcomes.
const (
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged" // it was there
	Done      Outcome = "done"      // what is not looked at
	Removed   Outcome = "removed"
	Absent    Outcome = "not there"
	Foreign   Outcome = "not ours: left alone"
)

// Local is this machine, with the module in dir and an empty directory work.
func Local(ctx context.Context, dir, work string, told func(Told)) *Machine {
	tools := firebaseIn(dir)
	m := &Machine{Work: work, RulesAPI: rulesAPI, Wait: waitFor, Told: told}
	m.Run = func(ctx context.Context, args []string) (string, error) {
		if args[0] == "firebase" {
			args = slices.Concat(tools, args[1:])
		}
		return run(ctx, dir, args)
	}
	m.SourceDigest, m.SourceBytes, m.SourceErr = Source(ctx, dir)
	return m
}

// firebaseTools is the version that npx would get, that of web/package-lock.json.
const firebaseTools = "firebase-tools@15.34.2"

// firebaseIn is the program of firebase-tools and its first arguments: the one on
// PATH, or web's below dir, or what npx gets.
func firebaseIn(dir string) []string {
	for _, program := range []string{"firebase", filepath.Join(dir, "web", "node_modules", ".bin", "firebase")} {
		if path, err := exec.LookPath(program); err == nil {
			return []string{path}
		}
	}
	return []string{"npx", "--yes", firebaseTools}
}

// Source is the digest of what gcloud would upload of dir, and how many bytes that is.
func Source(ctx context.Context, dir string) (string, int64, error) {
	files, err := upload.List(ctx, dir)
	if err != nil {
		return "", 0, err
	}
	sum, size := sha256.New(), int64(0)
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file)) //nolint:gosec // a file of the module
		if err != nil {
			return "", 0, err
		}
		size += int64(len(content))
		fmt.Fprintf(sum, "%d %s%d ", len(file), file, len(content))
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], size, nil
}

// run runs a program in dir.
func run(ctx context.Context, dir string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the plan's programs
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		// firebase-tools tells what went wrong on standard output.
		lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
		last := strings.Join(lines[max(0, len(lines)-5):], "\n")
		err = fmt.Errorf("%w: %s", err, tail(strings.TrimSpace(stderr.String()+"\n"+last)))
	}
	return stdout.String(), err
}

// tail is the end of a long text.
func tail(text string) string {
	const most = 4000
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}

// WriteFiles writes the files that the commands read into a directory.
func (p *Plan) WriteFiles(dir string) error {
	for name, content := range p.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
