package functions

import "testing"

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
