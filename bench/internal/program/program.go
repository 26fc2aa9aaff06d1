// Package program is what the programs of bench have in common: how they end,
// and that they are their own functions.
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

// ErrUsage is a mistake in the arguments, which has been told.
var ErrUsage = errors.New("usage")

// Main runs check until it ends or is interrupted, and ends the program: with 0,
// with 2 for ErrUsage, and with 1 for any other error, which it prints. As
// "functions --port N" the program serves the functions, for [processes.Start].
func Main(name string, check func(ctx context.Context, args []string, out io.Writer) error) {
	os.Exit(run(name, check))
}

func run(name string, check func(ctx context.Context, args []string, out io.Writer) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
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
