package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/cmd/relationindex/internal/cost"
	"example.com/relationindex/cmd/relationindex/internal/deploy"
	"example.com/relationindex/cmd/relationindex/internal/dev"
	"example.com/relationindex/cmd/relationindex/internal/jobs"
	"example.com/relationindex/cmd/relationindex/internal/operate"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the command failed, or verify found something
	exitUsage  = 2 // the arguments are wrong
)

// execute runs the command line and returns the exit code. An error goes to
// stderr, results go to stdout. Neither gets a character that a terminal acts on.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stdout, stderr = console.Safe(stdout), console.Safe(stderr)
	running := false
	root := newRoot() //nolint:contextcheck // the commands get ctx from cobra
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	watchStart(root, &running)
	cmd, err := root.ExecuteContextC(ctx)
	var usage command.UsageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, command.ErrReported):
		return exitFailed
	case !running || errors.As(err, &usage):
		fmt.Fprintf(stderr, "relationindex: %s\nSee %s --help\n", exclusive(indented(err)), cmd.CommandPath())
		return exitUsage
	default:
		fmt.Fprintf(stderr, "relationindex: %s\n", indented(err))
		return exitFailed
	}
}

// indented returns the text of an error, with each line after the first indented.
// A line break in a client's text thus cannot begin a line that looks like ours.
func indented(err error) string { return strings.ReplaceAll(err.Error(), "\n", "\n  ") }

// exclusive rewords cobra's error for flags that exclude each other: "… none of the others can be; [a b] were all
// set". It returns other texts unchanged.
func exclusive(text string) string {
	_, set, found := strings.Cut(text, "are set none of the others can be; [")
	if !found {
		return text
	}
	return "--" + strings.Join(strings.Fields(strings.TrimSuffix(set, "] were all set")), " and --") + " exclude each other"
}

// watchStart sets running when a command starts its work. An earlier failure is
// an error in the arguments.
func watchStart(cmd *cobra.Command, running *bool) {
	for _, child := range cmd.Commands() {
		watchStart(child, running)
	}
	if work := cmd.RunE; work != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*running = true
			return work(cmd, args)
		}
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "relationindex",
		Short: "Feeds in Firestore by copying follower lists instead of posts",
		Long: `relationindex runs the relation index on this machine, on the Firestore emulator
with real triggers, fills it, reads it, and checks it.

Start with a tour, or with a system of your own to write to:

  relationindex demo
  relationindex dev`,
		Example: `  relationindex dev
  export FIRESTORE_EMULATOR_HOST=…    # as dev prints it, in another terminal
  relationindex import follows graph.txt.gz --columns follower=1,followed=2
  relationindex import posts posts.csv --columns author=1,createdAt=3
  relationindex feed --as 223789
  relationindex verify`,
		Version:       version(),
		SilenceErrors: true, // execute prints them
		SilenceUsage:  true,
	}
	root.AddCommand(jobs.New(guards), cost.New())
	root.AddCommand(operate.Commands(guards)...)
	root.AddCommand(deploy.Commands()...)
	root.AddCommand(dev.All()...)
	group(root)
	return root
}

// guards is the [command.Guards] of all commands.
func guards(bulk bool) (wire.Interceptor, error) { return local.Guards(bulk, nil) }

// version returns the module's version. A build in a repository has the commit in it.
// A build without one, as by go run, has "(devel)".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
