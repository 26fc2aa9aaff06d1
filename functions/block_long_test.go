//go:build long

package functions_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/schema"
)

// Five strangers empty an inbox of 500 entries by 260 posts each. After they are blocked, the posts of the author whom its
// reader follows are there again.
func TestBlocksOfStrangersWhoFillAnInbox(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 50, Cap: 500, Notifications: true})
	a.Profile("r1", map[string]any{"name": "Eve"})
	shows := func() (n int) {
		for _, e := range a.Timeline("r1") {
			if e.Author == "ann" {
				n++
			}
		}
		return n
	}
	want := stranded(a, 30, 0, 0)
	t.Logf("before: %d posts of ann", shows())
	stranded(a, 0, 5, 260)
	t.Logf("during: %d posts of ann, %d in all", shows(), len(a.Timeline("r1")))
	if shows() != 0 {
		t.Error("the test shows little")
	}
	h, began := a.hourly(0), time.Now()
	for s := range 5 {
		other := fmt.Sprint("s", s)
		a.Block("r1", other)
		used := h.changes("OnBlockWritten", "users/r1/blocked/"+other, nil, map[string]any{})
		t.Logf("the event of block %d: %v", s+1, used)
	}
	w := a.Worker(0, h.meter.Interceptor())
	used := h.meter.Counts()
	for s := range 5 {
		if other := fmt.Sprint("s", s); a.exists("_functions/" + schema.LaterJobID("OnBlockWritten back", "r1", other)) {
			h.brings(other)
		}
	}
	work(w, a)
	t.Logf("the rebuild: %v; %v for all", h.meter.Counts().Minus(used), time.Since(began).Round(time.Second))
	t.Logf("after: %d posts of ann, %d in all", shows(), len(a.Timeline("r1")))
	a.WantTimeline("r1", want...)
}
