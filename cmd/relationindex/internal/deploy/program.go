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

// FirebaseTools is the package that npx runs, at the version of web/package-lock.json.
const FirebaseTools = "firebase-tools@15.34.2"

// firebaseIn returns the program of firebase-tools and its first arguments: firebase on
// PATH, else the program in dir's folder web, else npx with [FirebaseTools].
func firebaseIn(dir string) []string {
	for _, program := range []string{"firebase", filepath.Join(dir, "web", "node_modules", ".bin", "firebase")} {
		if path, err := exec.LookPath(program); err == nil {
			return []string{path}
		}
	}
	return []string{"npx", "--yes", FirebaseTools}
}

// runProgram runs a program in dir, and returns its standard output. The error of a failed program
// includes the end of its standard error, and the last lines of its standard output.
func runProgram(ctx context.Context, dir string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the plan's programs
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		// firebase-tools prints its errors on standard output.
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
