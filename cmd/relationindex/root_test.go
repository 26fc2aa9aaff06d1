package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// call runs the command line in this process.
func call(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := execute(t.Context(), args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{{"no-such-command"}, {"--no-such-flag"}, {"dev", "extra"}, {"dev", "--firestore-port", "http"}, {"functions"}} {
		out := call(t, args...)
		if out.want(t, exitUsage, "--help"); out.stdout != "" {
			t.Errorf("%q printed %q", args, out.stdout)
		}
	}
}

func TestVersion(t *testing.T) {
	out := call(t, "--version")
	if out.want(t, exitOK); !strings.HasPrefix(out.stdout, "relationindex version ") {
		t.Errorf("--version printed %q", out.stdout)
	}
}

// The help of every command is enough to use it.
func TestHelp(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		out := call(t, append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		out.want(t, exitOK, "Usage:")
		if cmd.Runnable() && !cmd.HasSubCommands() {
			out.want(t, exitOK, "Examples:", "Flags:")
		}
		if long := strings.Split(out.stdout, "\n"); cmd.HasSubCommands() && len(long) < 5 {
			t.Errorf("the help of %s is short: %q", cmd.CommandPath(), out.stdout)
		}
		for _, child := range cmd.Commands() {
			check(child)
		}
	}
	check(newRoot())
}
