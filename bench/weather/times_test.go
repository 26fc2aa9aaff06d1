package weather

import (
	"fmt"
	"slices"
	"time"
)

// times are how long the samples of a kind took, the shortest first.
type times []time.Duration

// timesOf returns those of the samples of a kind, how many never ended, and the same of the trigger that does nothing.
func timesOf(samples []*sample, kind string) (feed times, never int, bare times) {
	for _, s := range samples {
		if s.kind != kind {
			continue
		}
		if s.open > 0 {
			never++
		} else {
			feed = append(feed, s.seen.Sub(s.began))
		}
		if !s.bare.IsZero() {
			bare = append(bare, s.bare.Sub(s.began))
		}
	}
	slices.Sort(feed)
	slices.Sort(bare)
	return feed, never, bare
}

// at is the time that a share of them takes at most; 0 if there is none.
func (t times) at(share float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(len(t)-1, int(share*float64(len(t))))]
}

// cells are p50, p99 and the largest.
func (t times) cells() []string {
	var cells []string
	for _, share := range []float64{0.5, 0.99, 1} {
		cells = append(cells, fmt.Sprintf("%.2f s", t.at(share).Seconds()))
	}
	return cells
}
