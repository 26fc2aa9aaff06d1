package testkit

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
)

// Disturbed is work during which a process is killed, or cannot read something. Another process then finishes the work.
// W is what the work needs, with a database of its own for each try.
type Disturbed[W any] struct {
	Name    string
	Prepare func(t *testing.T) W
	// Act does the work in a process, or what an earlier process has left of it. A disturbed process must return an error.
	Act     func(w W, p Process) error
	Between func(w W) // changes the database before the next process goes on; nil: nothing does
	Check   func(w W) // nil: all that counts is what Act returns

	Writes int // the process is killed at each of its writes; there must be so many. 0: it is not killed
	Reads  int // its reads fail, each place in the code once; there must be so many. 0: none fails
	// First is the number of the first write at which the process is killed; 0: the first of all.
	First int
	// Long means that after a failed read, the next process cannot read something either, and so on, in one database.
	Long bool
	// Recovers means that Act may return nil after a failed read or a lost answer, if the work is done all the same.
	Recovers bool
}

// Process is one process of a try.
type Process struct {
	wire.Interceptor               // disturbs its calls; the zero value disturbs none
	Ahead            time.Duration // how far its clock is ahead, so that it does not wait for the leases of a dead process
}

// Disturb disturbs each of the works in turn, as parallel subtests: at its first write, at its second, and so on, until
// there is no such write, and in the same way at its reads. Each try has a database of its own.
func Disturb[W any](t *testing.T, works ...Disturbed[W]) {
	t.Helper()
	for _, d := range works {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			if d.Writes > 0 {
				d.each(t, "killed at write", d.Writes, false, func(try int) disturbance {
					death := faults.NewDeath(max(0, d.First-1) + try)
					return disturbance{death.Interceptor(), death.Died}
				})
			}
			if d.Reads > 0 {
				var places faults.Places
				d.each(t, "failed read", d.Reads, d.Long, func(int) disturbance {
					i, place := places.Process()
					return disturbance{i, func() bool { return place() != "" }}
				})
			}
		})
	}
}

// disturbance is what goes wrong in a process.
type disturbance struct {
	interceptor wire.Interceptor
	happened    func() bool
}

// each makes tries until one is not disturbed, several at once: parallel tests would wait for all other parallel tests. With
// goesOn, a try goes on disturbing the next process. each fails if there are fewer disturbances than least.
func (d Disturbed[W]) each(t *testing.T, what string, least int, goesOn bool, disturb func(try int) disturbance) {
	t.Helper()
	atOnce := 4
	if goesOn {
		atOnce = 1
	}
	var tries, points atomic.Int64
	var ended atomic.Bool
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for !ended.Load() {
				n, disturbed := int(tries.Add(1)), 0
				passed := t.Run(fmt.Sprint(what, " ", n), func(t *testing.T) {
					d.try(t, &disturbed, goesOn, func() disturbance { return disturb(n) })
				})
				points.Add(int64(disturbed))
				if !passed || disturbed == 0 {
					ended.Store(true)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%s: %d points", what, points.Load())
	if int(points.Load()) < least {
		t.Errorf("%s: %d points, want at least %d", what, points.Load(), least)
	}
}

// try does the work in one process after another, until one is not disturbed. It counts those that are.
func (d Disturbed[W]) try(t *testing.T, disturbed *int, goesOn bool, disturb func() disturbance) {
	t.Helper()
	w := d.Prepare(t)
	for {
		next := disturbance{happened: func() bool { return false }}
		if *disturbed == 0 || goesOn {
			next = disturb()
		}
		err := d.Act(w, Process{next.interceptor, time.Duration(*disturbed) * 10 * chunker.DefaultLease})
		happened := next.happened()
		switch {
		case !happened && err != nil:
			t.Fatalf("after %d disturbed processes: %v", *disturbed, err)
		case happened && err == nil && !d.Recovers:
			t.Fatal("the process says that all is done")
		case err == nil && d.Check != nil:
			d.Check(w)
		}
		if !happened || t.Failed() {
			return
		}
		*disturbed++
		if d.Between != nil {
			d.Between(w)
		}
	}
}
