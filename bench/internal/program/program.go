// Package program has what the programs of bench share: how they end, and how they serve the functions
// themselves.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"example.com/relationindex/local/processes"
)

// ErrUsage means a mistake in the arguments that has already been printed.
var ErrUsage = errors.New("usage")

// Main runs check until it ends or is interrupted, and ends the program. The exit code is 0, or 2 for
// ErrUsage, or 1 for any other error, which Main prints. As "functions --port N", the program serves
// the functions, for [processes.Start].
func Main(name string, check func(ctx context.Context, args []string, out io.Writer) error) {
	os.Exit(run(name, check))
}

func run(name string, check func(ctx context.Context, args []string, out io.Writer) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	var err error
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		err = processes.ServeArgs(ctx, os.Args[2:])
	} else {
		err = check(ctx, os.Args[1:], os.Stdout)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrUsage):
		return 2
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
}
