package feed

import (
	"fmt"
	"strings"
	"testing"
)

// A reader with many follows of long ids displaces other readers from the cache.
func TestFollowsAreKeptInBoundedMemory(t *testing.T) {
	t.Parallel()
	c := newFollowsCache(nil)
	c.most = 100_000
	sum := func() (bytes int) {
		for _, f := range c.lists.Values() {
			bytes += f.bytes()
		}
		return bytes
	}
	for i := range 5000 {
		f := follows{asOf: aTime}
		for n := range i % 20 {
			f.ids = append(f.ids, fmt.Sprintf("%04d", n)+strings.Repeat("x", i%1000))
		}
		c.put(fmt.Sprintf("reader%d", i%400), f)
		if c.bytes != sum() || c.bytes > c.most {
			t.Fatalf("after %d: %d bytes are counted of %d, at most %d", i, c.bytes, sum(), c.most)
		}
	}
	if n := c.lists.Len(); n < 5 {
		t.Errorf("%d readers are kept", n)
	}
	c.put("ada", follows{ids: []string{strings.Repeat("x", c.most)}})
	if c.lists.Len() != 0 || c.bytes != 0 {
		t.Errorf("a list that is too large is kept: %d of %d bytes", c.lists.Len(), c.bytes)
	}
}
