package followers_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Accounts of one client, one more than an index document holds, unfollow and
// follow again and again.
func TestUnfollowAndRefollowOpensNoMore(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Silence()
	a.Post("p1", "author", stories.Day)
	readers := make([]string, 7)
	for n := range readers {
		readers[n] = fmt.Sprintf("r%d", n)
	}
	var opened []int
	for range 6 {
		a.FollowAll(readers, true)
		opened = append(opened, a.IndexDocuments())
		a.WantFeed(readers[0], "p1")
		a.FollowAll(readers, false)
	}
	if slices.Max(opened) > opened[1] {
		t.Errorf("%v, want no more after the second", opened)
	}
	a.WantVerified()
}

// The index documents before the current one are read only where it is full,
// and one of them is current then.
func TestFullCurrentDocumentReadsEarlierOnesOnce(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Silence()
	a.FollowAll([]string{"r1", "r2"}, true)
	a.FollowAll([]string{"r3", "r4"}, true)
	a.FollowAll([]string{"r5", "r6"}, true)
	a.FollowAll([]string{"r1", "r2"}, false)
	var counts []int64
	for _, f := range []string{"r7", "r8"} {
		var meter wire.Meter
		a.Follow(f, "author")
		a.OK(a.Instance(meter.Interceptor()).Graph.Follow(t.Context(), "author", f))
		counts = append(counts, meter.Counts().Reads)
	}
	if want := counts[1] + 3; counts[0] != want { // two others with two fields, and one of them again
		t.Errorf("the follow that fills another document read %d, the next %d; want %d", counts[0], counts[1], want)
	}
	user, err := a.Client.Doc("users/author").Get(t.Context())
	a.OK(err)
	if current, _ := user.DataAt("latestFollowersIndex"); current != "00001" {
		t.Errorf("%v is current, want 00001", current)
	}
	if n := a.IndexDocuments(); n != 3 {
		t.Errorf("%d index documents, want 3", n)
	}
	a.Post("p1", "author", stories.Day)
	a.OK(a.Instance().Deliveries.Post(t.Context(), "p1"))
	a.WantFeed("r7", "p1")
	a.WantVerified()
}
