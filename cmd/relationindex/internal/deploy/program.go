package deploy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// FirebaseTools is the package that npx runs, at the version of web/package-lock.json.
const FirebaseTools = "firebase-tools@15.34.2"

// local returns a Machine that asks programs on this computer, in the module's directory dir. work must be an
// empty directory.
func local(dir, work string, out io.Writer) *Machine {
	m := &Machine{
		Dir: dir, Work: work, Out: out,
		RulesAPI: "https://firebaserules.googleapis.com", FirestoreAPI: "https://firestore.googleapis.com", UsageAPI: "https://serviceusage.googleapis.com",
	}
	tools := firebaseIn(dir)
	m.Ask = func(ctx context.Context, args []string) (string, error) {
		if args[0] == "firebase" {
			args = append(tools, args[1:]...)
		}
		return ask(ctx, dir, args)
	}
	return m
}

// firebaseIn returns the program of firebase-tools and its first arguments: firebase on
// PATH, else the program in dir's folder web, else npx with [FirebaseTools]. The script looks in the same order.
func firebaseIn(dir string) []string {
	for _, program := range []string{"firebase", filepath.Join(dir, "web", "node_modules", ".bin", "firebase")} {
		if path, err := exec.LookPath(program); err == nil {
			return []string{path}
		}
	}
	return []string{"npx", "--yes", FirebaseTools}
}

// ask runs a program in dir, and returns its standard output. The error of a failed program
// includes its last words.
func ask(ctx context.Context, dir string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the plan's programs
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		// firebase-tools prints its errors on standard output.
		lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
		last := strings.TrimSpace(stderr.String() + "\n" + strings.Join(lines[max(0, len(lines)-5):], "\n"))
		err = fmt.Errorf("%s: %w: %s", shell(args...), err, strings.ToValidUTF8(last[max(0, len(last)-4000):], ""))
	} else if err != nil {
		err = fmt.Errorf("%s: %w", shell(args...), err)
	}
	return stdout.String(), err
}
