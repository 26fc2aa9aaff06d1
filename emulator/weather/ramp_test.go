//go:build long

package weather_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/weather"
)

// The collections of one id take writes at a rate that grows. Commits above it wait; commits that would wait too long fail.
func TestRamp(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{Ramp: weather.Ramp{Rate: 10, Growth: 0.5, Step: 5 * time.Minute, Wait: 2 * time.Second}, Scale: 0.2})
	n := 0
	// atOnce returns how many commits of one write pass at once, how many pass after a wait, and the codes of the others.
	atOnce := func(collection string) (passed, waited int, failed map[codes.Code]bool) {
		failed = map[codes.Code]bool{}
		for range 200 {
			n++
			w.clock.take()
			if err := w.write(t, fmt.Sprintf("users/u%d/%s/%d", n, collection, n)); err != nil {
				failed[status.Code(err)] = true
				continue
			}
			if len(w.clock.take()) > 0 {
				waited++
			} else {
				passed++
			}
		}
		return passed, waited, failed
	}
	for _, test := range []struct {
		after          time.Duration
		collection     string
		passed, waited int
	}{
		{0, "items", 10, 20}, {0, "items", 0, 0}, {0, "others", 10, 20},
		{59 * time.Second, "items", 10, 20}, {time.Second, "items", 0, 15}, // 15 a second from now on; earlier writes still count
		{time.Minute, "items", 22, 45},
	} {
		w.clock.advance(test.after)
		passed, waited, failed := atOnce(test.collection)
		what := fmt.Sprintf("%s at %v", test.collection, w.clock.now())
		if len(failed) != 2 || !failed[codes.Aborted] || !failed[codes.ResourceExhausted] {
			t.Errorf("%s: failed with %v, want Aborted and ResourceExhausted", what, failed)
		}
		if (passed-test.passed)*(passed-test.passed) > 1 || (waited-test.waited)*(waited-test.waited) > 1 {
			t.Errorf("%s: %d commits passed and %d waited, want %d and %d", what, passed, waited, test.passed, test.waited)
		}
	}
}

// A commit takes as many turns as it has writes.
func TestRampCountsWrites(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{Ramp: weather.Ramp{Rate: 2, Wait: time.Minute}})
	for i, want := range [][]time.Duration{nil, {2500 * ms}, {5500 * ms}} {
		var paths []string
		for j := range 6 {
			paths = append(paths, fmt.Sprintf("c/%d-%d", i, j))
		}
		if err := w.write(t, paths...); err != nil || !near(w.clock.take(), want) {
			t.Errorf("commit %d: want it to wait %v; %v", i, want, err)
		}
	}
	if got := w.Counts().Ramped; got != 2 {
		t.Errorf("%d counted, want 2", got)
	}
}
