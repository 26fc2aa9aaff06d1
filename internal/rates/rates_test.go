package rates

import (
	"fmt"
	"testing"
	"time"
)

func TestRates(t *testing.T) {
	now := time.Unix(0, 0)
	r, err := New(60, time.Minute, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	taken := func(uid string, n int) (got int) {
		for range n {
			if r.Take(uid) == 0 {
				got++
				r.Charge(uid, 1)
			}
		}
		return got
	}
	if n := taken("ada", 1000); n != 60 {
		t.Errorf("%d requests at once, want a minute's 60", n)
	}
	if wait := r.Take("ada"); wait != time.Second {
		t.Errorf("the next after %v, want a second", wait)
	}
	if n := taken("bob", 10); n != 10 {
		t.Errorf("%d of another account's, want all 10", n)
	}
	now = now.Add(10 * time.Second)
	if n := taken("ada", 1000); n != 10 {
		t.Errorf("%d ten seconds later, want 10", n)
	}
	now = now.Add(24 * time.Hour)
	if n := taken("ada", 10); n != 10 {
		t.Errorf("%d a day later, want all 10", n)
	}
	r.Charge("ada", 2) // one more than it was taken for
	r.Charge("ada", 3) // likewise
	if n := taken("ada", 1000); n != 1+60-10-2-3 {
		t.Errorf("%d after large pages, the first of which counts as the last of these, want %d", n, 1+60-10-2-3)
	}
	r.Charge("ada", 1_000_000)
	if wait := r.Take("ada"); wait != (59+60)*time.Second {
		t.Errorf("the next after %v, want what is owed, and a minute for another such page", wait)
	}
	now = now.Add(24 * time.Hour)
	if n := taken("ada", 1000); n != 1 {
		t.Errorf("%d a day later, want one such page", n)
	}
	now = now.Add(time.Minute)
	if n := taken("ada", 1000); n != 60 {
		t.Errorf("%d after a small page, want 60", n)
	}
	for n := range 2 * Remembered {
		r.Take(fmt.Sprint(n))
	}
	if n := r.buckets.Len(); n > Remembered {
		t.Errorf("%d accounts are remembered, want at most %d", n, Remembered)
	}
}

// Reserved acts above the rate wait, each for its own turn.
func TestReserved(t *testing.T) {
	now := time.Unix(0, 0)
	r, err := New(60, time.Hour, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	if wait := r.Reserve("ada", 1000); wait != 0 {
		t.Errorf("an hour's acts wait %v", wait)
	}
	for n := range 100 {
		want := time.Duration(n+1) * time.Minute
		for _, weight := range []int{1, 0} { // what costs nothing waits as long as the last act
			if wait := r.Reserve("ada", weight).Round(time.Second); wait != want {
				t.Fatalf("act %d above the rate, which counts %d, waits %v, want %v", n+1, weight, wait, want)
			}
		}
	}
	now = now.Add(100*time.Minute + time.Second)
	if wait := r.Reserve("ada", 0); wait != 0 {
		t.Errorf("later it waits %v", wait)
	}
}
