package weather

import (
	"fmt"
	"slices"
	"time"
)

// times are the durations of the samples of a kind, the shortest first.
type times []time.Duration

// timesOf returns the times of the samples of a kind, the number that never ended, and the times of the no-op trigger, one for
// each write of the kind. A time that never ended counts as patience.
func timesOf(samples []*sample, kind string) (feed times, never int, bare times) {
	var last *written
	for _, s := range samples {
		if s.kind != kind {
			continue
		}
		if s.seen.IsZero() {
			never++
			feed = append(feed, patience)
		} else {
			feed = append(feed, s.seen.Sub(s.began))
		}
		switch {
		case s.written == last:
		case s.bare.IsZero():
			bare = append(bare, patience)
		default:
			bare = append(bare, s.bare.Sub(s.began))
		}
		last = s.written // a write's samples follow each other
	}
	slices.Sort(feed)
	slices.Sort(bare)
	return feed, never, bare
}

// at returns the time within which a share of the samples ended; 0 if there are none.
func (t times) at(share float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(len(t)-1, int(share*float64(len(t))))]
}

// p99 returns the time within which 99 % of the samples ended; 0 if there are too few samples.
func (t times) p99() time.Duration {
	if len(t) < enough {
		return 0
	}
	return t.at(0.99)
}

// cells returns p50, p99 and the maximum.
func (t times) cells() []string {
	var cells []string
	for _, d := range []time.Duration{t.at(0.5), t.p99(), t.at(1)} {
		if d == 0 {
			cells = append(cells, "-")
		} else {
			cells = append(cells, fmt.Sprintf("%.2f s", d.Seconds()))
		}
	}
	return cells
}
