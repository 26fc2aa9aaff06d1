// Package rates limits the acts of each account in a process: a number of acts in a time. It uses only memory, and
// its counts end with the process.
package rates

import (
	"sync"
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
	mu   sync.Mutex // of Begin and its ends
	held int        // what requests under way count as, beside the acts that Begin has taken
}

// New returns a limit of most acts in a time, at least 1.
func New(most int, per time.Duration, now func() time.Time) (*Rates, error) {
	buckets, err := lru.New[string, *bucket](Remembered)
	return &Rates{most, now, rate.Limit(float64(most) / per.Seconds()), buckets}, err
}

// Now returns the time by the clock of the limit.
func (r *Rates) Now() time.Time { return r.now() }

// Begin counts a request of an account before its cost is known: as one act, and until its end as most acts. So
// requests that run at once are as many as one after another. With nothing running, a request begins if one act is left.
// Above the rate, Begin counts nothing, and returns the time until the next request is allowed.
//
// The caller calls end once, with the cost of the request in acts, before it answers. end returns false if the request
// costs more than most, and others that ran at once have used up the rate. Then the caller does not answer; the cost counts, because
// it has been paid.
func (r *Rates) Begin(account string, most int) (end func(acts int) bool, wait time.Duration) {
	now, b := r.now(), r.of(account)
	b.mu.Lock()
	defer b.mu.Unlock()
	lacks := 1 - b.TokensAt(now)
	if r.refill(lacks+float64(b.held)) > 0 {
		return nil, max(time.Nanosecond, r.refill(lacks)) // what is held ends with its requests
	}
	b.ReserveN(now, 1)
	b.held += most - 1
	return func(acts int) bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		now := r.now()
		b.held -= most - 1
		paid := acts <= most || b.TokensAt(now) > -1 // a request alone has left 0 or more, but for rounding
		b.ReserveN(now, min(max(1, acts), r.most)-1)
		return paid
	}, 0
}

// refill returns the time in which a bucket gains some acts.
func (r *Rates) refill(acts float64) time.Duration {
	return time.Duration(acts / float64(r.limit) * float64(time.Second))
}

// Left returns how many acts an account has left; negative if acts wait.
func (r *Rates) Left(account string) float64 { return r.of(account).TokensAt(r.now()) }

// longest is how many times the most acts n acts count at most.
const longest = 24

// Reserve counts n acts of an account, even above the rate, and returns the time until they are within the rate. More
// acts than most wait for some of them, even those of a full bucket. No act counts more than longest times the most.
func (r *Rates) Reserve(account string, n int) (wait time.Duration) {
	now, b := r.now(), r.of(account)
	for n = min(n, longest*r.most); n > r.most; n -= r.most {
		b.ReserveN(now, r.most)
	}
	return b.ReserveN(now, n).DelayFrom(now)
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
