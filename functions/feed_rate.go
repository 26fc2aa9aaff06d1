package functions

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// rememberedAccounts is how many accounts' requests are counted, those of the
// latest: some 3 MB of them. One that is forgotten begins anew.
const rememberedAccounts = 10_000

// rates bounds the requests of each account, as far as this instance sees them: a
// bucket that holds a minute's requests and fills up evenly. It is safe for
// concurrent use.
type rates struct {
	perMinute int
	now       func() time.Time
	buckets   *lru.Cache[string, *rate.Limiter] // by account
}

func newRates(perMinute int, now func() time.Time) (*rates, error) {
	buckets, err := lru.New[string, *rate.Limiter](rememberedAccounts)
	return &rates{perMinute, now, buckets}, err
}

// take counts a request of an account, unless it is one too many: then it returns
// how long it is until the next is not.
func (r *rates) take(uid string) (wait time.Duration) {
	bucket, known := r.buckets.Get(uid)
	if !known {
		bucket = rate.NewLimiter(rate.Limit(float64(r.perMinute)/60), r.perMinute)
		if other, there, _ := r.buckets.PeekOrAdd(uid, bucket); there {
			bucket = other
		}
	}
	now := r.now()
	reserved := bucket.ReserveN(now, 1)
	if wait = reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
	}
	return wait
}
