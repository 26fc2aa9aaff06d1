package internal_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/internal/rates"
)

func TestRates(t *testing.T) {
	now := time.Unix(0, 0)
	r, err := rates.New(60, time.Minute, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	begin := func(uid string, most int) (end func(int) bool) {
		end, _ = r.Begin(uid, most)
		return end
	}
	taken := func(uid string, n, cost int) (got int) {
		for range n {
			if end := begin(uid, 40); end != nil && end(cost) {
				got++
			}
		}
		return got
	}
	waits := func(uid string, want time.Duration) {
		t.Helper()
		if end, wait := r.Begin(uid, 40); wait != want || end != nil {
			t.Errorf("the next after %v, want %v", wait, want)
		}
	}
	if n := taken("ada", 1000, 1); n != 60 {
		t.Errorf("%d requests at once, want a minute's 60", n)
	}
	waits("ada", time.Second)
	if n := taken("bob", 10, 0); n != 10 {
		t.Errorf("%d of another account's, want all 10", n)
	}
	now = now.Add(10 * time.Second)
	if n := taken("ada", 1000, 1); n != 10 {
		t.Errorf("%d ten seconds later, want 10", n)
	}
	now = now.Add(24 * time.Hour)
	if n := taken("ada", 1000, 25); n != 3 {
		t.Errorf("%d large pages a day later, want 3: the last begins with 10 acts left", n)
	}
	waits("ada", 16*time.Second)
	now = now.Add(24 * time.Hour)
	if n := taken("ada", 1000, 1_000_000); n != 1 {
		t.Errorf("%d pages that cost more than a minute has, want 1", n)
	}
	waits("ada", time.Second)
	for n := range rates.Remembered {
		begin(fmt.Sprint(n), 1)
	}
	if begin("ada", 40) == nil {
		t.Errorf("beside the last %d accounts another is remembered", rates.Remembered)
	}
}

// Of requests that run at once, as many are answered as of those one after another. Their acts are counted once.
func TestRatesOfRequestsAtOnce(t *testing.T) {
	for _, c := range []struct {
		name             string
		rate, most, cost int
		begun, answered  int           // at once
		wait             time.Duration // of the next; the least if one of those under way may end now
		inARow           int           // answered one after another
	}{
		{"as dear as they may be", 60, 14, 14, 5, 5, time.Nanosecond, 5},
		{"cheaper", 60, 14, 2, 5, 5, time.Nanosecond, 30},
		{"of one act", 60, 1, 1, 60, 60, time.Second, 60},
		{"dearer than they may be", 60, 3, 32, 20, 2, time.Nanosecond, 2},
		{"dearer than a minute has", 10, 45, 45, 1, 1, time.Nanosecond, 1},
		{"cheap, where one may use the minute", 10, 45, 2, 1, 1, time.Nanosecond, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Unix(0, 0)
			r, err := rates.New(c.rate, time.Minute, func() time.Time { return now })
			if err != nil {
				t.Fatal(err)
			}
			var ends []func(int) bool
			for range 1000 {
				if end, wait := r.Begin("ada", c.most); end != nil {
					ends = append(ends, end)
				} else if wait != c.wait {
					t.Fatalf("with %d under way the next after %v, want %v", len(ends), wait, c.wait)
				}
			}
			atOnce := 0
			for _, end := range ends {
				if end(c.cost) {
					atOnce++
				}
			}
			if len(ends) != c.begun || atOnce != c.answered {
				t.Errorf("at once %d begin, and %d are answered; want %d and %d", len(ends), atOnce, c.begun, c.answered)
			}
			alone := func(uid string) (answered int) {
				for range 1000 {
					if end, _ := r.Begin(uid, c.most); end != nil && end(c.cost) {
						answered++
					}
				}
				return answered
			}
			inARow := alone("bob")
			if inARow != c.inARow {
				t.Errorf("%d of those one after another are answered, want %d", inARow, c.inARow)
			}
			if n := atOnce + alone("ada"); n > inARow || c.cost <= c.most && n != inARow {
				t.Errorf("after those at once %d in all, want %d", n, inARow)
			}
		})
	}
}

// Reserved acts above the rate wait, each for its own turn.
func TestReserved(t *testing.T) {
	now := time.Unix(0, 0)
	r, err := rates.New(60, time.Hour, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	if wait := r.Reserve("ada", 60); wait != 0 {
		t.Errorf("an hour's acts wait %v", wait)
	}
	for account, c := range map[string]struct {
		weight int
		want   time.Duration
	}{"two hours' acts": {120, time.Hour}, "more than a day's": {1 << 40, 23 * time.Hour}} {
		if wait := r.Reserve(account, c.weight).Round(time.Second); wait != c.want {
			t.Errorf("%s wait %v, want %v", account, wait, c.want)
		}
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
