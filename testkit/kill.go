package testkit

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/relationindex/emulator/faults"
)

// KillEach kills a process at each of its writes in turn, starting with the write number first, until
// a process has made all its writes. It fails if fewer than least writes were reached.
func KillEach(t *testing.T, first, least int, kill func(*testing.T, *faults.Death)) {
	t.Helper()
	const atOnce = 4 // points; not parallel tests, which would wait for all other parallel tests
	var tried, points atomic.Int64
	var ended atomic.Bool
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for !ended.Load() {
				at := first + int(tried.Add(1)) - 1
				death := faults.NewDeath(at)
				passed := t.Run(fmt.Sprintf("write %d", at), func(t *testing.T) { kill(t, death) })
				if death.Died() {
					points.Add(1)
				}
				if !passed || !death.Died() {
					ended.Store(true)
				}
			}
		})
	}
	all.Wait()
	t.Logf("killed at %d points", points.Load())
	if int(points.Load()) < least {
		t.Errorf("only %d points were found", points.Load())
	}
}
