package push

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBackoffDelay(t *testing.T) {
	t.Run("doubles up to the longest", func(t *testing.T) {
		b := Backoff{First: 100 * time.Millisecond, Max: time.Second}
		for i, want := range []time.Duration{100, 200, 400, 800, 1000, 1000} {
			if got := b.Delay(i+1, 0); got != want*time.Millisecond {
				t.Errorf("after attempt %d: %v, want %v", i+1, got, want*time.Millisecond)
			}
		}
	})
	t.Run("stays between a half and the whole of a pause within the bounds", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			b := Backoff{First: time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "first"))}
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
