// Command relationindex runs the relation index on this machine, fills it,
// reads it and checks it. Its help lists the commands:
//
//	go run ./cmd/relationindex --help
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run()) }

// run ends in order on Ctrl-C, on SIGTERM, and when the terminal is closed. A
// second signal ends it at once.
func run() int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
}
