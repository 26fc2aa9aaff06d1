package functions

import (
	"fmt"
	"testing"
	"time"
)

func TestRates(t *testing.T) {
	now := time.Unix(0, 0)
	r, err := newRates(60, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	taken := func(uid string, n int) (got int) {
		for range n {
			if r.take(uid) == 0 {
				got++
			}
		}
		return got
	}
	if n := taken("ada", 1000); n != 60 {
		t.Errorf("%d requests at once, want a minute's 60", n)
	}
	if wait := r.take("ada"); wait != time.Second {
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
	for _, reads := range []int64{0, 1, 100} {
		r.charge("ada", reads)
	}
	if n := taken("ada", 10); n != 10 {
		t.Errorf("%d after pages of relations, want all 10", n)
	}
	r.charge("ada", 101)
	r.charge("ada", 2*100+1)
	if n := taken("ada", 1000); n != 60-10-3 {
		t.Errorf("%d after 101 and 201 reads, want %d", n, 60-10-3)
	}
	r.charge("ada", 1_000_000)
	if wait := r.take("ada"); wait != 61*time.Second {
		t.Errorf("the next after %v, want a minute's requests and one", wait)
	}
	now = now.Add(24 * time.Hour)
	if n := taken("ada", 1000); n != 60 {
		t.Errorf("%d a day later, want 60", n)
	}
	for n := range 2 * rememberedAccounts {
		r.take(fmt.Sprint(n))
	}
	if n := r.buckets.Len(); n > rememberedAccounts {
		t.Errorf("%d accounts are remembered, want at most %d", n, rememberedAccounts)
	}
}
