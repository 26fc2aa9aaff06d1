//go:build long

package scale

import "testing"

// A burst of follows on several processes, while the author posts: every follow
// has one place, every post has every follower, no event fails or starves, and
// nothing is logged as an error.
func TestPopularAuthor(t *testing.T) {
	run := popular{follows: 2000, posts: 5, workers: popularWorkers, metered: true}
	run.start(t)
	run.measure(t)
	run.check(t)
}
