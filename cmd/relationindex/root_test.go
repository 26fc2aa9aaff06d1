package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"example.com/relationindex/testkit/program"
)

// call runs the command line in this process.
func call(t *testing.T, args ...string) program.Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := execute(t.Context(), args, &stdout, &stderr)
	return program.Outcome{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{{"no-such-command"}, {"--no-such-flag"}, {"dev", "extra"}, {"dev", "--firestore-port", "http"}, {"functions"}} {
		out := call(t, args...)
		if out.Want(t, exitUsage, "--help"); out.Stdout != "" {
			t.Errorf("%q printed %q", args, out.Stdout)
		}
	}
}

func TestVersion(t *testing.T) {
	out := call(t, "--version")
	if out.Want(t, exitOK); !strings.HasPrefix(out.Stdout, "relationindex version ") {
		t.Errorf("--version printed %q", out.Stdout)
	}
}

// The help of every command is enough to use it.
func TestHelp(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		out := call(t, append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		out.Want(t, exitOK, "Usage:")
		if cmd.Runnable() && !cmd.HasSubCommands() {
			out.Want(t, exitOK, "Examples:", "Flags:")
		}
		if long := strings.Split(out.Stdout, "\n"); cmd.HasSubCommands() && len(long) < 5 {
			t.Errorf("the help of %s is short: %q", cmd.CommandPath(), out.Stdout)
		}
		for _, child := range cmd.Commands() {
			check(child)
		}
	}
	check(newRoot())
}
