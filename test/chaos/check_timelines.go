package chaos

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/oracle"
	"example.com/relationindex/timelines/layout"
)

// timelinePage is the number of posts in a page of the function Feed.
const timelinePage = 7

// Tally counts the contents of a run's timelines. So a run in which, say, no bucket was closed can
// report that.
type Tally struct {
	Readers     int // with entries
	Entries     int
	Due         int   // entries that must be there
	Closed      int64 // buckets
	Overwritten int64 // buckets
	Full        int   // days with several entries

	Marked   int // entries that their readers hide
	Filtered int // posts of a kind that a reader hides, and would see otherwise
	Idle     int // idle readers who lack posts
	Lifted   int // entries above their posts' createdAt
	Unread   int // entries of first pages
}

// tally is a Tally for readers who are checked at once.
type tally struct {
	mu sync.Mutex
	Tally
	counted Counted
}

func (t Tally) String() string {
	return fmt.Sprintf("%d entries of %d readers, %d of them due; %d buckets closed, %d overwritten, %d days with several entries; "+
		"%d marked as hidden, %d left out by kinds, %d idle readers lack posts, %d lifted, %d unread",
		t.Entries, t.Readers, t.Due, t.Closed, t.Overwritten, t.Full, t.Marked, t.Filtered, t.Idle, t.Lifted, t.Unread)
}

// lacks returns what a run of a form must have, and lacks; "": nothing.
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

// lacksOfReaders is like lacks, for readers' decisions.
func (t Tally) lacksOfReaders(f Form) string {
	switch {
	case t.Marked == 0:
		return "entry that its reader hides"
	case t.Filtered == 0:
		return "post of a kind that a reader hides"
	case t.Idle == 0:
		return "idle reader who lacks posts"
	case t.Unread == 0:
		return "unread entry"
	case f == Items && t.Lifted == 0:
		return "lifted entry"
	default:
		return ""
	}
}

// checkTimelines checks the timelines of all users against the oracle, and their pages against the
// timelines. It does nothing if there are no timelines.
func checkTimelines(ctx context.Context, client *firestore.Client, cfg schema.Config, h *oracle.History, users int, sum *tally, report func(format string, args ...any)) error {
	if cfg.Timeline() == "" {
		return nil
	}
	t, err := OpenTimelines(client, cfg)
	if err != nil {
		return err
	}
	o := oracleOf(h, cfg)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for n := range users {
		group.Go(func() error { return checkTimeline(ctx, t, o, userID(n), sum, report) })
	}
	group.Go(func() error {
		_, err := t.verify(ctx, func(p entries.Problem) {
			report("verify-timelines: %v", p)
		})
		return err
	})
	return group.Wait()
}

func checkTimeline(ctx context.Context, t *Timelines, o *oracle.Oracle, reader string, sum *tally, report func(format string, args ...any)) error {
	got, err := t.List(ctx, reader)
	if err != nil {
		return err
	}
	sequence, err := t.sequence(ctx, reader)
	if err != nil {
		return err
	}
	want := o.Reader(reader)
	sum.add(got, want, sequence, t.slots())
	wrong := want.Judge(observed(got))
	for _, difference := range wrong {
		report("timeline of %s: %s", reader, difference)
	}
	limit := timelinePage
	if t.cfg.Cap > 0 {
		limit = max(1, t.cfg.Cap/2)
	}
	paged, err := t.Pages(ctx, reader, limit)
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(slices.Clone(got), func(e layout.Entry) bool { return e.Hidden })
	if len(wrong) > 0 { // pages leave out posts that do not reach the reader
		return nil
	}
	whole := Shown(shown)
	for n, e := range whole {
		whole[n].Text = want.Posts[e.Post].Shows[showsWhole]
	}
	if difference := CompareFeeds(paged, whole); difference != "" {
		report("pages of the timeline of %s: %s", reader, difference)
		return nil
	}
	page, err := t.function.Timeline(ctx, reader, limit, "")
	if err != nil {
		return err
	}
	if difference := compareUnread(want.ReadAt, page, shown); difference != "" {
		report("first page of %s: %s", reader, difference)
	} else if page.Unread != nil {
		sum.mu.Lock()
		defer sum.mu.Unlock()
		sum.Unread += page.Unread.Count
	}
	return nil
}

func (t *tally) add(got []layout.Entry, want oracle.Reader, sequence, slots int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(got) > 0 {
		t.Readers++
	}
	t.Entries += len(got)
	t.Filtered += want.LeftOut
	lacks := len(want.Posts)
	for _, p := range want.Posts {
		if p.Must {
			t.Due++
		}
	}
	closed := max(0, sequence-1)
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
		if e.Hidden {
			t.Marked++
		}
		if p, ok := want.Posts[e.Post]; ok {
			if lacks--; e.At > p.CreatedAt.UnixMicro() {
				t.Lifted++
			}
		}
	}
	if want.Idle && lacks > 0 {
		t.Idle++
	}
}
