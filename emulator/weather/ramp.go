package weather

import (
	"math"
	"path"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// rampExceeded is production's other error text for writes above the ramp, beside contended.
const rampExceeded = "This database has exceeded their daily quota or the ramp up limit for writes, please retry with exponential backoff. " +
	"To learn more about limits, see 'Usage and limits' section of the support documentation."

// collectionOf returns the key of all collections with the id of a document's collection, in its database:
//
//	projects/p/databases/d/documents/users/u/followers/f: projects/p/databases/d followers
//
// Google's documentation speaks of "a new collection" and of lexicographically close documents. The index entries of all
// collections of one id lie together, so in the worst case the id is hot.
func collectionOf(name string) string {
	database, inside, _ := strings.Cut(name, "/documents/")
	return database + " " + path.Base(path.Dir(inside))
}

// ramp reserves the turns of writes, which it gets by collection, and returns the longest wait. If that is too long, it
// reserves nothing and returns an error. The caller holds mu.
func (w *Weather) ramp(writes map[string]int, now time.Time) (time.Duration, error) {
	r := w.o.Ramp
	if r.Rate == 0 {
		return 0, nil
	}
	longest := time.Duration(0)
	each := map[string]time.Duration{}
	for key := range writes {
		rate := r.Rate
		if begun, ok := w.begun[key]; ok && r.Growth > 0 {
			rate *= math.Pow(1+r.Growth, float64(now.Sub(begun)/r.Step))
		}
		each[key] = every(rate)
		longest = max(longest, w.collections.wait(key, each[key], int(rate), now))
	}
	if longest > 0 {
		w.counts.ramped.Add(1)
	}
	if longest > r.Wait {
		if w.random.IntN(2) == 0 {
			return 0, status.Error(codes.Aborted, contended)
		}
		return 0, status.Error(codes.ResourceExhausted, rampExceeded)
	}
	for key, n := range writes {
		if _, ok := w.begun[key]; !ok {
			w.begun[key] = now
		}
		w.collections.take(key, each[key], n, now)
	}
	return longest, nil
}
