// Command functions serves the functions of the app on this machine. `relationindex dev --functions ./cmd/functions`
// builds and starts it.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	_ "example.com/relationindex/examples/embed"
	"example.com/relationindex/local/processes"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := processes.ServeArgs(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}
