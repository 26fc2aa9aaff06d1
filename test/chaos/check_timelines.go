package chaos

import (
	"context"
	"fmt"
	"sync"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/timelines/layout"
)

// timelinePage is how many posts a page of the function Feed has.
const timelinePage = 7

// Tally counts what the timelines of a run have, so that a run in which nothing was closed
// or overwritten says so.
type Tally struct {
	Readers     int // with entries
	Entries     int
	Due         int   // entries that the model says have to be there
	Closed      int64 // buckets
	Overwritten int64 // buckets
	Full        int   // days with several entries
}

// tally counts while readers are checked side by side.
type tally struct {
	mu sync.Mutex
	Tally
}

func (t Tally) String() string {
	return fmt.Sprintf("%d entries of %d readers, %d of them due; %d buckets closed, %d overwritten, %d days with several entries",
		t.Entries, t.Readers, t.Due, t.Closed, t.Overwritten, t.Full)
}

// lacks is what a run of a form has to have, and has not; "": nothing.
func (t Tally) lacks(f Form) string {
	switch {
	case t.Due == 0:
		return "entries that are due"
	case (f == Buckets || f == Ring) && t.Closed == 0:
		return "closed bucket"
	case f == Ring && t.Overwritten == 0:
		return "overwritten bucket"
	case f == Days && t.Full == 0:
		return "day with several posts"
	default:
		return ""
	}
}

// checkTimelines compares the timelines of all users with the model and with their pages,
// if there are any.
func checkTimelines(ctx context.Context, client *firestore.Client, cfg config.Functions, m *Model, users int, sum *tally, report func(format string, args ...any)) error {
	if cfg.Timeline == "" {
		return nil
	}
	t, err := OpenTimelines(client, cfg)
	if err != nil {
		return err
	}
	s, err := readStamps(ctx, client)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for n := range users {
		group.Go(func() error { return checkTimeline(ctx, t, m, s, userID(n), sum, report) })
	}
	group.Go(func() error {
		_, err := t.Verify(ctx, report)
		return err
	})
	return group.Wait()
}

func checkTimeline(ctx context.Context, t *Timelines, m *Model, s *stamps, reader string, sum *tally, report func(format string, args ...any)) error {
	got, err := t.List(ctx, reader)
	if err != nil {
		return err
	}
	b, err := t.buckets(ctx, reader)
	if err != nil {
		return err
	}
	may := map[string]Entry{}
	for _, e := range m.Feed(reader) {
		may[e.Post] = e
	}
	must := m.mustHave(reader, s, t.cfg, b)
	sum.add(got, must, b, t.slots())
	if difference := CompareTimeline(got, may, must, t.cfg.Cap); difference != "" {
		report("timeline of %s: %s", reader, difference)
		return nil // its pages are the same
	}
	limit := timelinePage
	if t.cfg.Cap > 0 {
		limit = max(1, t.cfg.Cap/2)
	}
	paged, err := t.Pages(ctx, reader, limit)
	if err != nil {
		return err
	}
	if difference := CompareFeeds(paged, m.texts(got)); difference != "" {
		report("pages of the timeline of %s: %s", reader, difference)
	}
	return nil
}

// texts are entries with the posts' own texts, as the function Feed has them.
func (m *Model) texts(entries []layout.Entry) []Entry {
	all := Shown(entries)
	for n, e := range all {
		all[n].Text = m.posts[e.Post].entry.Text
	}
	return all
}

func (t *tally) add(got []layout.Entry, must map[string]bool, b buckets, slots int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(got) > 0 {
		t.Readers++
	}
	t.Entries += len(got)
	t.Due += len(must)
	closed := max(0, b.sequence-1)
	t.Closed += closed
	if slots > 0 {
		t.Overwritten += max(0, closed-slots)
	}
	days := map[int64]int{}
	for _, e := range got {
		const day = 24 * 60 * 60 * 1_000_000 // microseconds
		if days[e.At/day]++; days[e.At/day] == 2 {
			t.Full++
		}
	}
}
