package entries

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// A reader who follows many gets the newest posts of all of them, and no more than twice as many
// are held meanwhile.
func TestTimelinesOfReadersFollowingMany(t *testing.T) {
	t.Parallel()
	c := &care{db: &schema.Database{}}
	c.newest = &memory[[]duePost]{values: map[string][]duePost{}}
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	var follows []follow
	const audiences = 4 * maxDue / MaxPosts
	for a := range audiences {
		audience := fmt.Sprintf("u%03d", a)
		follows = append(follows, follow{audience: audience, since: at})
		for n := range MaxPosts { // all have some of the newest
			created := at.Add(time.Duration((MaxPosts-n)*audiences+a) * time.Second)
			c.newest.values[audience] = append(c.newest.values[audience], duePost{
				id: fmt.Sprintf("%s-%04d", audience, n), audience: audience, createdAt: created,
			})
		}
	}
	due, err := c.andFollowed(t.Context(), nil, follows)
	if err != nil {
		t.Fatal(err)
	}
	if len(due) != maxDue || due[0].id != "u199-0000" || due[maxDue-1].id != "u000-0249" || !due[0].must {
		t.Errorf("%d posts, from %+v to %+v", len(due), due[0], due[len(due)-1])
	}
	if cap(due) > 3*maxDue {
		t.Errorf("it held %d posts", cap(due))
	}
}

// The memory drops its earlier values when a new one exceeds its limit.
func TestMemoryIsBounded(t *testing.T) {
	var m memory[int]
	for n := range 7 {
		m.keep(fmt.Sprint(n), n, remembered/3)
		if sum := len(m.values) * (remembered / 3); sum > remembered || m.held != sum {
			t.Errorf("after %d values it has %d, and holds %d of %d", n+1, sum, m.held, remembered)
		}
		if got, ok := m.values[fmt.Sprint(n)]; !ok || got != n {
			t.Errorf("it has forgotten the last one, %d", n)
		}
	}
	if len(m.values) != 1 {
		t.Errorf("it holds %d values, want the last alone", len(m.values))
	}
}

// A lock that is never free is one reader's; the end of the connection is not.
func TestErrorsOfOneReader(t *testing.T) {
	for err, want := range map[error]bool{
		work.ErrTooMuch: true, schema.ErrContention: true, schema.ErrDamaged: true,
		status.Error(codes.InvalidArgument, "too large"): true, status.Error(codes.Aborted, "locked"): true,
		status.Error(codes.Unavailable, ""): false, status.Error(codes.PermissionDenied, ""): false, context.Canceled: false, nil: false,
	} {
		if err != nil {
			err = fmt.Errorf("timeline: %w", err)
		}
		if theirs(err) != want {
			t.Errorf("%v: want %t", err, want)
		}
	}
}

// Older posts say that one has not been pushed out, if their entries were there before.
func TestOlderPosts(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 11, 23, hour, 0, 0, 0, time.UTC) }
	older := duePost{id: "o", createdAt: at(1)}
	edited, followed, newer, away := older, older, older, older
	edited.id, edited.updated = "edited", at(6)
	followed.id, followed.followed = "followed", at(6)
	newer.id, newer.createdAt = "q", at(7)
	away.id = "away"
	p := duePost{id: "p", createdAt: at(5)}
	due := newestOfAll([]duePost{older, edited, followed, newer, away, p}, 10)
	in := map[string]string{"o": "open", "edited": "open", "followed": "open", "q": "open"}
	for n := -1; n < 2; n++ {
		if got, want := p.hasOlder(due, in, n), n < 1; got != want {
			t.Errorf("more than %d: %t, want %t", n, got, want)
		}
	}
}

// A timeline has place for its newest entries, and some more.
func TestSpareEntries(t *testing.T) {
	for name, c := range map[string]struct {
		l    layout.Layout
		want int
	}{
		"items without a cap": {layout.Items{}, -1},
		"items":               {layout.Items{Cap: 500}, 500},
		"no buckets yet":      {layout.NewBuckets(50, 500), -500},
		"days":                {layout.Days{}, -1},
	} {
		if got := spareOf(c.l, nil, 500); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
