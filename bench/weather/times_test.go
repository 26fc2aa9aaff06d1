package weather

import (
	"fmt"
	"slices"
	"time"
)

// times are how long the samples of a kind took, the shortest first.
type times []time.Duration

// timesOf returns those of the samples of a kind, how many never ended, and for each write of the kind those of the trigger
// that does nothing.
func timesOf(samples []*sample, kind string) (feed times, never int, bare times) {
	var last *written
	for _, s := range samples {
		if s.kind != kind {
			continue
		}
		if s.seen.IsZero() {
			never++
		} else {
			feed = append(feed, s.seen.Sub(s.began))
		}
		if s.written != last && !s.bare.IsZero() {
			bare = append(bare, s.bare.Sub(s.began))
		}
		last = s.written // a write's samples follow each other
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

// p99 is the time that 99 % take at most; 0 if they are too few to say so.
func (t times) p99() time.Duration {
	if len(t) < 100 {
		return 0
	}
	return t.at(0.99)
}

// cells are p50, p99 and the largest.
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
