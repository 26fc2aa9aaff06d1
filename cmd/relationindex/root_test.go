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

// Each command is below one heading, and a heading names only commands that there are.
func TestHelpGroupsTheCommands(t *testing.T) {
	root := newRoot()
	headings := map[string]string{}
	for _, g := range groups {
		for _, name := range g.names {
			if before := headings[name]; before != "" {
				t.Errorf("%s is below %q and %q", name, before, g.heading)
			}
			headings[name] = g.heading
		}
	}
	for _, cmd := range root.Commands() {
		if heading := headings[cmd.Name()]; heading == "" || cmd.GroupID != heading {
			t.Errorf("%s is below %q, want %q", cmd.Name(), cmd.GroupID, heading)
		}
		delete(headings, cmd.Name())
	}
	if len(headings) > 0 {
		t.Errorf("there are no commands %v", headings)
	}
	help := call(t, "--help").Stdout
	for _, g := range groups {
		_, below, found := strings.Cut(help, "\n\n"+g.heading+"\n")
		below, _, _ = strings.Cut(below, "\n\n")
		if n := strings.Count(below, "\n") + 1; !found || n != len(g.names) {
			t.Errorf("%d commands are below %q, want %d:\n%s", n, g.heading, len(g.names), help)
		}
	}
}
