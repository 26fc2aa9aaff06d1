// Package rates limits what accounts do in a process: so much in a time. It costs memory alone, and forgets
// with its process.
package rates

import (
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Remembered is the most accounts that are counted, the latest ones: about 3 MB. A forgotten account
// starts again with a full bucket.
const Remembered = 10_000

// Rates limits what each account does. A bucket holds what an account may do in a time, and refills evenly. So
// within the first such time, an account does up to twice as much. It is safe for concurrent use.
type Rates struct {
	most    int
	now     func() time.Time
	limit   rate.Limit
	buckets *lru.Cache[string, *bucket] // by account
}

// bucket is what an account has left.
type bucket struct {
	*rate.Limiter
	last atomic.Int64 // what its last request was charged with; 0: one request
}

// New returns the limit of most in a time, at least 1.
func New(most int, per time.Duration, now func() time.Time) (*Rates, error) {
	buckets, err := lru.New[string, *bucket](Remembered)
	return &Rates{most, now, rate.Limit(float64(most) / per.Seconds()), buckets}, err
}

// Now returns the time by the clock of the limit.
func (r *Rates) Now() time.Time { return r.now() }

// Take counts a request of an account as its last one was charged, before anybody knows what it takes, and
// returns 0. Above the rate, Take counts nothing, and returns the time until the next request is allowed.
func (r *Rates) Take(account string) (wait time.Duration) {
	now, b := r.now(), r.of(account)
	n := int(max(1, b.last.Load()))
	if b.AllowN(now, n) {
		return 0
	}
	lacks := float64(n) - b.TokensAt(now)
	return max(time.Nanosecond, time.Duration(lacks/float64(r.limit)*float64(time.Second)))
}

// Left returns how many acts an account has left; less than 0, if acts wait.
func (r *Rates) Left(account string) float64 { return r.of(account).TokensAt(r.now()) }

// Charge counts a request that Take has counted as n requests. What it was counted as above that is not given
// back: the next one is counted as this one.
func (r *Rates) Charge(account string, n int) {
	b := r.of(account)
	n = min(max(1, n), r.most)
	if more := n - int(max(1, b.last.Swap(int64(n)))); more > 0 {
		b.ReserveN(r.now(), more)
	}
}

// Reserve counts n acts of an account in any case, and returns the time until they are within the rate.
func (r *Rates) Reserve(account string, n int) (wait time.Duration) {
	now := r.now()
	return r.of(account).ReserveN(now, min(n, r.most)).DelayFrom(now)
}

// of returns the bucket of an account.
func (r *Rates) of(account string) *bucket {
	b, known := r.buckets.Get(account)
	if !known {
		b = &bucket{Limiter: rate.NewLimiter(r.limit, r.most)}
		if other, there, _ := r.buckets.PeekOrAdd(account, b); there {
			b = other
		}
	}
	return b
}
