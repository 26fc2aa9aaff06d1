package push

import (
	"testing"
	"time"
)

// Pub/Sub's page has two examples: one of five fails, about 500 ms; all fail, 30 s to 60 s.
func TestPushPaceMatchesPubSubExamples(t *testing.T) {
	for _, test := range []struct {
		failsEvery int
		from, to   time.Duration
	}{{5, 300 * time.Millisecond, 700 * time.Millisecond}, {1, 30 * time.Second, 60 * time.Second}, {200, 0, 5 * time.Millisecond}} {
		f := New(Production().WithDefaults())
		start := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
		now, began := start, start
		for i := range 400 {
			if i == 200 {
				began = now
			}
			now = now.Add(f.Wait(now))
			f.started = now
			f.Answer(i%test.failsEvery != 0, now)
		}
		if pace := now.Sub(began) / 200; pace < test.from || pace > test.to {
			t.Errorf("when one of %d fails, a delivery each %v, want %v to %v", test.failsEvery, pace, test.from, test.to)
		}
	}
}
