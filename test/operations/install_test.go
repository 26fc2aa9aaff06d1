//go:build long

package operations

import (
	"fmt"
	"testing"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// An app has followers and posts. The functions are deployed, and then a repair
// builds the index from them while clients write.
func TestInstallationDuringClientWrites(t *testing.T) {
	t.Parallel()
	const users, followers, posts = 24, 12, 3
	s := newSite(t, schema.Config{NoOwnPosts: true, Capacity: 5, InlineLimit: 10})
	s.settled(users, followers, posts)

	stop := s.live(users, users-2, 1)
	s.until(20)
	s.Register() // from here on every write has its event
	s.until(20)
	repaired, cost := s.repair()
	s.until(20)
	stop()
	s.Settle()
	t.Logf("%d follows and %d posts: %d violations before, %d after, while clients wrote %d documents: %v",
		users*followers, users*posts, repaired.Before.Violations, repaired.After.Violations, s.writes.Load(), cost)
	if repaired.Before.Violations < users*followers/2 {
		t.Errorf("%d violations before the repair: the index was there", repaired.Before.Violations)
	}
	again, _ := s.repair() // of what was deleted before the functions were there
	if again.After.Violations != 0 {
		t.Errorf("after the second repair: %v", again.Left)
	}
	s.wantSound()
}

// The cost of the installation, at rest: docs/operations/install.md has these numbers.
func TestCostOfAnInstallation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		users, followers, posts int
		capacity                int
		reads                   int // a follow, at most
	}{
		{20, 12, 3, 6, 16},
		{1, 600, 3, 300, 11},
	} {
		t.Run(fmt.Sprintf("%d authors with %d followers", c.users, c.followers), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, schema.Config{NoOwnPosts: true, Capacity: c.capacity})
			s.settled(c.users, c.followers, c.posts)
			var meter wire.Meter
			if _, err := verify.New(s.Instance(meter.Interceptor())).All(t.Context(), func(verify.Violation) {}, nil); err != nil {
				t.Fatal(err)
			}
			t.Logf("a dry run: %v", meter.Counts())
			repaired, cost := s.repair()
			if repaired.After.Violations != 0 {
				t.Fatalf("after the repair: %v", repaired.Left)
			}
			s.wantSound()
			n, k := c.users*c.followers, c.users*c.followers/c.capacity
			r := k * c.posts
			t.Logf("%d follows, %d index documents, %d relations: %v", n, k, r, cost)
			if most := int64(n + r + 3*k + c.users); cost.Writes > most || cost.Deletes > 0 {
				t.Errorf("it costs %v, want at most %d writes", cost, most)
			}
			if most := int64(c.reads * n); cost.Reads > most {
				t.Errorf("it costs %v, want at most %d reads", cost, most)
			}
		})
	}
}
