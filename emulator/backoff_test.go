package emulator

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/relationindex/emulator/push"
)

func TestBackoffDelay(t *testing.T) {
	t.Run("doubles up to the longest", func(t *testing.T) {
		b := push.Backoff{First: 100 * time.Millisecond, Max: time.Second}
		for i, want := range []time.Duration{100, 200, 400, 800, 1000, 1000} {
			if got := b.Delay(i+1, 0); got != want*time.Millisecond {
				t.Errorf("after attempt %d: %v, want %v", i+1, got, want*time.Millisecond)
			}
		}
	})
	t.Run("stays between a half and the whole of a pause within the bounds", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			b := push.Backoff{First: time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "first"))}
			b.Max = time.Duration(rapid.Int64Range(int64(b.First), 1<<62).Draw(t, "max"))
			attempt := rapid.IntRange(1, 1_000_000).Draw(t, "attempt")
			whole := b.Delay(attempt, 0)
			if whole < b.First || whole > b.Max {
				t.Fatalf("%v is outside of %v to %v", whole, b.First, b.Max)
			}
			if got := b.Delay(attempt, rapid.Float64Range(0, 0.999999).Draw(t, "random")); got < whole/2 || got > whole {
				t.Fatalf("%v is outside of %v to %v", got, whole/2, whole)
			}
		})
	})
}

// Pub/Sub's page has two examples: one of five fails, about 500 ms; all fail, 30 s to 60 s.
func TestPushPaceMatchesPubSubExamples(t *testing.T) {
	for _, test := range []struct {
		failsEvery int
		from, to   time.Duration
	}{{5, 300 * time.Millisecond, 700 * time.Millisecond}, {1, 30 * time.Second, 60 * time.Second}, {200, 0, 5 * time.Millisecond}} {
		f := push.New(push.Production().WithDefaults())
		start := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
		now, began := start, start
		for i := range 400 {
			if i == 200 {
				began = now
			}
			now = now.Add(f.Wait(now))
			f.Start(now)
			f.Answer(i%test.failsEvery != 0, now)
		}
		if pace := now.Sub(began) / 200; pace < test.from || pace > test.to {
			t.Errorf("when one of %d fails, a delivery each %v, want %v to %v", test.failsEvery, pace, test.from, test.to)
		}
	}
}
