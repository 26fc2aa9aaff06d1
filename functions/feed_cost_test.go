package functions

import (
	"testing"
	"time"

	"example.com/relationindex/feed"
)

func TestRequestsOf(t *testing.T) {
	for _, c := range []struct {
		reads int64
		bytes int
		want  int
	}{{0, 0, 1}, {1, 1, 1}, {100, 128 << 10, 1}, {101, 1, 2}, {201, 1, 3}, {40, 3 << 20, 24}, {1, 128<<10 + 1, 2}} {
		if got := requestsOf(c.reads, c.bytes); got != c.want {
			t.Errorf("%d reads and %d bytes count as %d requests, want %d", c.reads, c.bytes, got, c.want)
		}
	}
}

// docs/feed.md has these numbers.
func TestMostOf(t *testing.T) {
	for name, c := range map[string]struct {
		q    feedQuery
		want int
	}{
		"a page":                {feedQuery{limit: 20}, 25},
		"a page of relations":   {feedQuery{limit: 20, source: feed.SourceRelations}, 3},
		"a page about a ref":    {feedQuery{limit: 20, ref: "topic"}, 33},
		"a poll about a ref":    {feedQuery{limit: 20, ref: "topic", news: new(time.Time)}, 1},
		"a long page of a pull": {feedQuery{limit: 50, source: feed.SourcePull}, 46},
	} {
		if got := mostOf(c.q); got != c.want {
			t.Errorf("%s counts as %d requests until it ends, want %d", name, got, c.want)
		}
	}
}
