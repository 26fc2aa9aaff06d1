package weather

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"example.com/relationindex/bench/internal/machine"
	"example.com/relationindex/internal/devhost"
)

// TestMain is also the program that serves the functions, for [devhost.Start].
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		if err := devhost.ServeArgs(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if !(*scale > 0 && *scale <= 1) || *accounts < 1 || !(*rate > 0) || *window <= 0 {
		fmt.Fprintln(os.Stderr, "-scale must be above 0 and at most 1, -others at least 1, -rate and -window above 0")
		os.Exit(2)
	}
	if flag.Lookup("test.bench").Value.String() != "" {
		machine.Print(os.Stdout)
	}
	os.Exit(m.Run())
}
