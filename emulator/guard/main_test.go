package guard_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/relationindex/emulator"
)

var needed atomic.Bool

// started is the one emulator of all tests that need it.
var started = sync.OnceValues(func() (*emulator.Emulator, error) {
	needed.Store(true)
	return emulator.Start(context.Background(), emulator.Options{})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if needed.Load() {
		if e, err := started(); err == nil {
			if err := e.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
			_ = os.Remove(e.LogFile())
		}
	}
	os.Exit(code)
}
