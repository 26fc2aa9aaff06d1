package functions

import (
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"example.com/relationindex/feed"
)

// rememberedAccounts is the most accounts whose requests or acts are counted, the latest ones:
// about 3 MB. A forgotten account starts again with a full bucket.
const rememberedAccounts = 10_000

// rates limits what each account does in this instance: so much in a time. A bucket holds that much, and
// refills evenly. So within the first such time, an account does up to twice as much. rates is safe for
// concurrent use.
type rates struct {
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

func newRates(most int, per time.Duration, now func() time.Time) (*rates, error) {
	buckets, err := lru.New[string, *bucket](rememberedAccounts)
	return &rates{most, now, rate.Limit(float64(most) / per.Seconds()), buckets}, err
}

// take counts a request of an account as its last one was charged, before anybody knows what it takes, and
// returns 0. Above the rate, take counts nothing, and returns the time until the next request is allowed.
func (r *rates) take(account string) (wait time.Duration) {
	now, b := r.now(), r.of(account)
	reserved := b.ReserveN(now, int(max(1, b.last.Load())))
	if wait = reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
	}
	return wait
}

// charge counts a request that take has counted as n requests. What it was counted as above that is not given
// back: the next one is counted as this one.
func (r *rates) charge(account string, n int) {
	b := r.of(account)
	n = min(max(1, n), r.most)
	if more := n - int(max(1, b.last.Swap(int64(n)))); more > 0 {
		b.ReserveN(r.now(), more)
	}
}

// reserve counts n acts of an account in any case, and returns the time until they are within the rate.
func (r *rates) reserve(account string, n int) (wait time.Duration) {
	now := r.now()
	return r.of(account).ReserveN(now, min(n, r.most)).DelayFrom(now)
}

// of returns the bucket of an account.
func (r *rates) of(account string) *bucket {
	b, known := r.buckets.Get(account)
	if !known {
		b = &bucket{Limiter: rate.NewLimiter(r.limit, r.most)}
		if other, there, _ := r.buckets.PeekOrAdd(account, b); there {
			b = other
		}
	}
	return b
}

const (
	// readsOfRequest is how many reads count as one request: those of the longest page that
	// relations give.
	readsOfRequest = 2 * feed.MaxLimit
	// bytesOfRequest is how many bytes of a page, as JSON, count as one request: those of the longest
	// page of posts with some 2,600 bytes each.
	bytesOfRequest = 128 << 10
)

// requestsOf returns as how many requests a page counts. So an account costs the owner no more by pages of
// many reads, as of pull, or of large posts, than by others.
func requestsOf(reads int64, bytes int) int {
	return max(1, int((reads+readsOfRequest-1)/readsOfRequest), (bytes+bytesOfRequest-1)/bytesOfRequest)
}
