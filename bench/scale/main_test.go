package scale

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"example.com/relationindex/bench/internal/machine"
	"example.com/relationindex/local/processes"
)

// TestMain is also the program that serves the functions, for [processes.Start].
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		if err := processes.ServeArgs(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() != "" {
		machine.Print(os.Stdout)
	}
	os.Exit(m.Run())
}
