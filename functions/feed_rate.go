package functions

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"example.com/relationindex/feed"
)

// rememberedAccounts is the most accounts whose requests are counted, the latest callers:
// about 3 MB. A forgotten account starts again with a full bucket.
const rememberedAccounts = 10_000

// readsOfRequest is how many reads count as one request: those of the longest page that
// relations give.
const readsOfRequest = 2 * feed.MaxLimit

// rates limits the requests of each account in this instance. A bucket holds a minute's
// requests and refills evenly. rates is safe for concurrent use.
type rates struct {
	perMinute int
	now       func() time.Time
	buckets   *lru.Cache[string, *rate.Limiter] // by account
}

func newRates(perMinute int, now func() time.Time) (*rates, error) {
	buckets, err := lru.New[string, *rate.Limiter](rememberedAccounts)
	return &rates{perMinute, now, buckets}, err
}

// take counts a request of an account and returns 0. Above the rate, take counts nothing,
// and returns the time until the next request is allowed.
func (r *rates) take(uid string) (wait time.Duration) {
	now := r.now()
	reserved := r.bucket(uid).ReserveN(now, 1)
	if wait = reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
	}
	return wait
}

// charge counts a request that take has counted as further ones, by the reads that it took.
// So an account costs the owner no more by pages of many reads, as of pull, than by others.
func (r *rates) charge(uid string, reads int64) {
	if more := (reads - 1) / readsOfRequest; more > 0 {
		r.bucket(uid).ReserveN(r.now(), int(min(more, int64(r.perMinute))))
	}
}

// bucket returns the bucket of an account.
func (r *rates) bucket(uid string) *rate.Limiter {
	bucket, known := r.buckets.Get(uid)
	if !known {
		bucket = rate.NewLimiter(rate.Limit(float64(r.perMinute)/60), r.perMinute)
		if other, there, _ := r.buckets.PeekOrAdd(uid, bucket); there {
			bucket = other
		}
	}
	return bucket
}
