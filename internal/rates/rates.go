// Package rates limits the acts of each account in a process: a number of acts in a time. It uses only memory, and
// its counts end with the process.
package rates

import (
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Remembered is the most accounts that are counted, the latest ones: about 3 MB. An account that was dropped
// starts again with a full bucket.
const Remembered = 10_000

// Rates limits the acts of each account. A bucket holds the most acts in the time, and refills evenly. So
// within the first such time, an account can do up to twice as much. Rates is safe for concurrent use.
type Rates struct {
	most    int
	now     func() time.Time
	limit   rate.Limit
	buckets *lru.Cache[string, *bucket] // by account
}

// bucket holds the acts that an account has left.
type bucket struct {
	*rate.Limiter
	last atomic.Int64 // charge of its last request; 0: one request
}

// New returns a limit of most acts in a time, at least 1.
func New(most int, per time.Duration, now func() time.Time) (*Rates, error) {
	buckets, err := lru.New[string, *bucket](Remembered)
	return &Rates{most, now, rate.Limit(float64(most) / per.Seconds()), buckets}, err
}

// Now returns the time by the clock of the limit.
func (r *Rates) Now() time.Time { return r.now() }

// Take counts a request of an account, before its cost is known, with the charge of the account's last
// request. It returns 0. Above the rate, Take counts nothing, and returns the time until the next request is
// allowed.
func (r *Rates) Take(account string) (wait time.Duration) {
	now, b := r.now(), r.of(account)
	n := int(max(1, b.last.Load()))
	if b.AllowN(now, n) {
		return 0
	}
	lacks := float64(n) - b.TokensAt(now)
	return max(time.Nanosecond, time.Duration(lacks/float64(r.limit)*float64(time.Second)))
}

// Left returns how many acts an account has left; negative if acts wait.
func (r *Rates) Left(account string) float64 { return r.of(account).TokensAt(r.now()) }

// Charge counts a request that Take has counted as n requests. If Take counted more, Charge gives nothing
// back. Take counts the account's next request as n.
func (r *Rates) Charge(account string, n int) {
	b := r.of(account)
	n = min(max(1, n), r.most)
	if more := n - int(max(1, b.last.Swap(int64(n)))); more > 0 {
		b.ReserveN(r.now(), more)
	}
}

// Reserve counts n acts of an account, even above the rate, and returns the time until they are within the
// rate.
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
