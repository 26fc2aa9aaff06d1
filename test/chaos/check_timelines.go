package chaos

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/feed"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
	"example.com/relationindex/timelines/layout"
)

// timelinePage is the number of posts in a page of the function Feed.
const timelinePage = 7

// These are the names of what is counted. So a run in which, say, no bucket was closed can report that.
const (
	someEntries    = "entries"
	dueEntries     = "entries that are due"
	closedBuckets  = "closed buckets"
	wrappedBuckets = "overwritten buckets"
	fullDays       = "days with several posts"
	hiddenEntries  = "entries that their readers hide"
	hiddenKinds    = "posts of a kind that a reader hides"
	idleReaders    = "idle readers who lack posts"
	liftedEntries  = "lifted entries"
	unreadEntries  = "unread entries"
)

// timelinesCheck reads timelines as the product does, and checks them.
type timelinesCheck struct {
	system   *social.System
	function *feed.Feed
	cfg      schema.Config
	oracle   *oracle.Oracle
	found    *findings
}

// checkTimelines checks the timelines of all users against the oracle, and their pages against the
// timelines. It does nothing if there are no timelines.
func checkTimelines(ctx context.Context, client *firestore.Client, cfg schema.Config, h *oracle.History, users int, found *findings) error {
	if cfg.Timeline() == "" {
		return nil
	}
	system, err := social.Open(client, cfg)
	if err != nil {
		return err
	}
	c := timelinesCheck{system, feed.New(client, cfg, nil), cfg, oracleOf(h, cfg), found}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for n := range users {
		group.Go(func() error { return c.timeline(ctx, clients.UserID(n)) })
	}
	group.Go(func() error {
		_, err := entries.Check(ctx, system.Timelines, entries.Options{Report: func(p entries.Problem) { found.report("verify-timelines: %v", p) }})
		return err
	})
	return group.Wait()
}

func (c timelinesCheck) timeline(ctx context.Context, reader string) error {
	got, err := pages.Newest(ctx, c.system.Timelines.Database(), c.system.Timelines.Layout(), reader, 1_000_000)
	if err != nil {
		return err
	}
	want := c.oracle.Reader(reader)
	if err := c.count(ctx, reader, got, want); err != nil {
		return err
	}
	wrong := want.Judge(observed(got))
	for _, difference := range wrong {
		c.found.report("timeline of %s: %s", reader, difference)
	}
	limit := timelinePage
	if c.cfg.Cap > 0 {
		limit = max(1, c.cfg.Cap/2)
	}
	paged, err := pagesOf(ctx, c.function.Timeline, reader, limit)
	if err != nil || len(wrong) > 0 { // pages leave out posts that do not reach the reader
		return err
	}
	shown := slices.DeleteFunc(slices.Clone(got), func(e layout.Entry) bool { return e.Hidden })
	whole := make([]clients.Entry, len(shown))
	for n, e := range shown {
		whole[n] = clients.Entry{Post: e.Post, Text: want.Posts[e.Post].Shows[showsWhole], CreatedAt: time.UnixMicro(e.At)}
	}
	if difference := clients.CompareFeeds(paged, whole); difference != "" {
		c.found.report("pages of the timeline of %s: %s", reader, difference)
		return nil
	}
	page, err := c.function.Timeline(ctx, reader, limit, "")
	if err != nil {
		return err
	}
	if difference := compareUnread(want.ReadAt, page, shown); difference != "" {
		c.found.report("first page of %s: %s", reader, difference)
	} else if page.Unread != nil {
		c.found.count(unreadEntries, page.Unread.Count)
	}
	return nil
}

// count counts the contents of a reader's timeline.
func (c timelinesCheck) count(ctx context.Context, reader string, got []layout.Entry, want oracle.Reader) error {
	c.found.count(someEntries, len(got))
	c.found.count(hiddenKinds, want.LeftOut)
	lacks := len(want.Posts)
	for _, p := range want.Posts {
		if p.Must {
			c.found.count(dueEntries, 1)
		}
	}
	days := map[int64]int{}
	for _, e := range got {
		const day = 24 * 60 * 60 * 1_000_000 // microseconds
		if days[e.At/day]++; days[e.At/day] == 2 {
			c.found.count(fullDays, 1)
		}
		if e.Hidden {
			c.found.count(hiddenEntries, 1)
		}
		if p, ok := want.Posts[e.Post]; ok {
			if lacks--; e.At > p.CreatedAt.UnixMicro() {
				c.found.count(liftedEntries, 1)
			}
		}
	}
	if want.Idle && lacks > 0 {
		c.found.count(idleReaders, 1)
	}
	docs, err := c.system.DB.Client.GetAll(ctx, []*firestore.DocumentRef{c.system.DB.Client.Doc("users/" + reader + "/timeline/open")})
	if err != nil {
		return err
	}
	value, _ := docs[0].DataAt("sequence") // an error: no bucket is open
	sequence, _ := value.(int64)
	closed := max(0, int(sequence)-1)
	c.found.count(closedBuckets, closed)
	if c.cfg.Timeline() == schema.LayoutBuckets && c.cfg.Cap > 0 {
		c.found.count(wrappedBuckets, max(0, closed-c.cfg.Cap/c.cfg.Bucket))
	}
	return nil
}

// feedRounds is the most times that a page reads its source. After that, left-out entries make the
// page shorter.
const feedRounds = 5

// pagesOf returns a reader's whole feed or timeline as the function Feed reads it. Each page but the last must be full.
func pagesOf(ctx context.Context, read func(ctx context.Context, reader string, limit int, from string) (feed.Page, error), reader string, limit int) ([]clients.Entry, error) {
	var all []clients.Entry
	for from := ""; ; {
		page, err := read(ctx, reader, limit, from)
		if err != nil {
			return nil, fmt.Errorf("pages of %s: %w", reader, err)
		}
		for _, post := range page.Posts {
			text, _ := post.Data["text"].(string)
			all = append(all, clients.Entry{Post: post.ID, Text: text, CreatedAt: post.CreatedAt})
		}
		if from = page.Cursor; from == "" {
			return all, nil
		}
		if len(page.Posts) < limit && page.Rounds < feedRounds {
			return nil, fmt.Errorf("pages of %s: one has %d posts, want %d", reader, len(page.Posts), limit)
		}
	}
}

// compareUnread returns how the number of unread posts of a first page differs from the page's
// entries; "": it does not. Without readAt, there must be no number.
func compareUnread(readAt time.Time, page feed.Page, shown []layout.Entry) string {
	switch {
	case readAt.IsZero() && page.Unread == nil:
		return ""
	case readAt.IsZero() || page.Unread == nil:
		return fmt.Sprintf("unread is %v, and readAt %v", page.Unread, readAt)
	}
	want := 0
	for _, e := range shown[:min(len(page.Posts), len(shown))] {
		if time.UnixMicro(e.At).After(readAt) {
			want++
		}
	}
	n := page.Unread.Count
	if more := n == len(page.Posts) && page.Cursor != ""; n != want || page.Unread.More != more {
		return fmt.Sprintf("%+v unread of %d, want %d, more is %t", *page.Unread, len(page.Posts), want, more)
	}
	return ""
}
