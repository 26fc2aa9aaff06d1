package scale

import (
	"context"
	"fmt"
	"os"
	"testing"

	"example.com/relationindex/internal/dev"
)

// As "functions --port N" the test binary serves the functions, for [dev.Start].
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		if err := dev.ServeArgs(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
