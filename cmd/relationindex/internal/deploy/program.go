package deploy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// FirebaseTools is the version that npx would get, that of web/package-lock.json.
const FirebaseTools = "firebase-tools@15.34.2"

// firebaseIn returns the program of firebase-tools and its first arguments: the one on
// PATH, or web's below dir, or what npx gets.
func firebaseIn(dir string) []string {
	for _, program := range []string{"firebase", filepath.Join(dir, "web", "node_modules", ".bin", "firebase")} {
		if path, err := exec.LookPath(program); err == nil {
			return []string{path}
		}
	}
	return []string{"npx", "--yes", FirebaseTools}
}

// runProgram runs a program in dir, and returns what it prints to standard output. The error
// has the end of what it prints to standard error.
func runProgram(ctx context.Context, dir string, args []string) (string, error) {
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

// tail returns the end of a long text.
func tail(text string) string {
	const most = 4000
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}
