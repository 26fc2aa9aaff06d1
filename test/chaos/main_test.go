package chaos

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"example.com/relationindex/internal/devhost"
)

// TestMain is also the child that serves the functions.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		if err := devhost.ServeArgs(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}
