//go:build long

package chaos

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"example.com/relationindex/emulator/install"
	"example.com/relationindex/local/processes"
)

// TestMain is also the child that serves the functions.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		if err := processes.ServeArgs(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "chaos-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	return m.Run()
}

// places are for the tests that run at once: most of their time is that of emulators that start.
var places = make(chan struct{}, 3)

// parallel is t.Parallel, but waits for a place.
func parallel(t *testing.T) {
	t.Helper()
	t.Parallel()
	findEmulator()
	places <- struct{}{}
	t.Cleanup(func() { <-places })
}

// findEmulator finds the emulator once for all, and for the go commands of tests: gcloud takes
// seconds to say where it is. Where there is none, each test says so.
var findEmulator = sync.OnceFunc(func() {
	if paths, err := install.Find(context.Background()); err == nil {
		_ = os.Setenv("FIRESTORE_EMULATOR_BINARY_PATH", paths.Jar)
	}
})
