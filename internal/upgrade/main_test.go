package upgrade

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/relationindex/internal/dev"
)

// TestMain is also the child that serves this release's functions.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		if err := dev.ServeArgs(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(run(m))
}

var dir string // of the previous release's program

func run(m *testing.M) int {
	var err error
	if dir, err = os.MkdirTemp("", "relationindex-upgrade-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover in the temporary directory
	return m.Run()
}

// release is the command of a program that serves a release's functions; nil is
// this test's own.
type release []string

// previous builds the release before this one, once.
func previous(t *testing.T) release {
	t.Helper()
	program, err := buildPrevious()
	if err != nil {
		t.Fatal(err)
	}
	return release{program, "functions"}
}

var buildPrevious = sync.OnceValues(func() (string, error) {
	source, program := filepath.Join(dir, "source"), filepath.Join(dir, "relationindex")
	if err := os.Mkdir(source, 0o700); err != nil {
		return "", err
	}
	if err := haveCommit(); err != nil {
		return "", err
	}
	archive := source + ".tar"
	// From here archive has only this directory; from the top, all.
	top, err := command("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	for _, step := range []struct {
		in   string
		args []string
	}{
		{strings.TrimSpace(top), []string{"git", "archive", "--output", archive, Previous}},
		{source, []string{"tar", "-xf", archive}},
		{source, []string{"go", "build", "-o", program, "./cmd/relationindex"}},
	} {
		if _, err := command(step.in, step.args...); err != nil {
			return "", fmt.Errorf("build the previous release, %s: %w", Previous, err)
		}
	}
	return program, nil
})

// haveCommit fetches the commit where a shallow clone does not have it.
func haveCommit() error {
	there := []string{"git", "cat-file", "-e", Previous + "^{commit}"}
	if _, err := command("", there...); err == nil {
		return nil
	}
	fetch := []string{"git", "fetch", "--quiet", "--depth=1", "origin", Previous}
	if _, err := command("", fetch...); err != nil {
		return fmt.Errorf("the commit of the previous release is not in this clone, and cannot be fetched. "+
			"Run `git fetch --unshallow`, or `%s` from a remote that has it: %w", strings.Join(fetch, " "), err)
	}
	return nil
}

// command is what a command prints on standard output; its error has what it
// prints on the other one.
func command(in string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = in
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}
