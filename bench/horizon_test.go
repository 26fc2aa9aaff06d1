package bench

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// BenchmarkHorizonFollow is a follow of an author with 1,000 posts, one a day, from the
// client's write to idle: 1,002 writes without a horizon, and with one 2 beside the posts of
// its days.
func BenchmarkHorizonFollow(b *testing.B) {
	const n, day = 1000, 24 * time.Hour
	for _, days := range []int{0, 7, 30, 90} {
		b.Run(fmt.Sprintf("days=%d", days), func(b *testing.B) {
			p := project(b, schema.Config{NoOwnPosts: true, Horizon: time.Duration(days) * day, InlineLimit: n}) // no job, of which there are more writes
			first := time.Now().Add(-12 * time.Hour)
			for i := range n {
				write(b, p.Client, fmt.Sprintf("posts/post%03d", i), map[string]any{"userId": "author", "createdAt": first.Add(-time.Duration(i) * day)})
			}
			idle(b, p)
			follows(b, p.Client, "author", 1, 1)
			idle(b, p)
			want := int64(n + 2)
			if days > 0 {
				want = int64(days + 2)
			}
			follower := 0
			operation(b, p, func() {
				follower++
				write(b, p.Client, fmt.Sprintf("users/author/followers/one-%d", follower), map[string]any{"createdAt": firestore.ServerTimestamp})
			}, func(used wire.Counts) {
				if used.Writes != want {
					b.Errorf("a follow cost %v, want %d writes", used, want)
				}
			})
		})
	}
}
