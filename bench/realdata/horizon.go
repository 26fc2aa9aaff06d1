package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/feed"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/test/chaos"
)

// withHorizon writes the posts, and compares every feed. With -change, two sixths of the posts are
// written while the horizon changes.
func (s *system) withHorizon(ctx context.Context, p *local.Project, cfg schema.Config, g *graph, posts []document) error {
	f := feed.New(p.Client, cfg, nil)
	compare := func(d time.Duration) error {
		if err := s.compareSources(ctx, g, f, d); err != nil {
			return err
		}
		return s.firstPages(ctx, g, f, p.Client, d)
	}
	changes := []time.Duration{cfg.Horizon / 2, 2 * cfg.Horizon}
	if !s.options.change {
		changes = nil
	}
	beside := len(posts) / 6
	before := posts[:len(posts)-beside*len(changes)]
	g.add(before)
	if err := s.write(ctx, p, "posts", before, len(before)); err != nil {
		return err
	}
	if err := compare(cfg.Horizon); err != nil {
		return err
	}
	for n, d := range changes {
		part := posts[len(before)+n*beside:][:beside]
		g.add(part)
		if err := s.changeBeside(ctx, p, cfg, d, part); err != nil {
			return err
		}
		if err := compare(d); err != nil {
			return err
		}
	}
	return nil
}

// changeBeside changes the horizon while clients write posts, from before the change until after it.
func (s *system) changeBeside(ctx context.Context, p *local.Project, cfg schema.Config, d time.Duration, posts []document) error {
	index, err := s.index(ctx, projectID, cfg)
	if err != nil {
		return err
	}
	began := time.Now()
	changed := make(chan struct{})
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		some := slices.Collect(slices.Chunk(posts, max(1, len(posts)/12)))
		for n, part := range some {
			if n == len(some)-1 { // written after the change
				<-changed
			}
			if err := s.write(groupCtx, p, "posts", part, len(part)); err != nil {
				return err
			}
			select {
			case <-changed:
			case <-groupCtx.Done():
				return groupCtx.Err()
			case <-time.After(horizon.Old / 4): // some parts during the change, which waits twice
			}
		}
		return nil
	})
	group.Go(func() error {
		defer close(changed)
		done, err := horizon.Change(groupCtx, index, d, horizon.Options{})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "horizon   %v after %.0f s: %d relations with another expireAt, %d violations before a repair, %d after\n",
			d, time.Since(began).Seconds(), done.Renewed, done.Before.Violations, done.After.Violations)
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return p.Idle(ctx)
}

// compareSources compares every feed as Feed reads it, as pull does, and as far back as the horizon by
// the readers' own queries.
func (s *system) compareSources(ctx context.Context, g *graph, f *feed.Feed, d time.Duration) error {
	for _, source := range []struct {
		name string
		read readFeed
	}{
		{"Feed", func(ctx context.Context, _ *firestore.Client, uid string) ([]chaos.Entry, error) {
			return chaos.Pages(ctx, f, uid, pageSize)
		}},
		{"pull", func(ctx context.Context, _ *firestore.Client, uid string) ([]chaos.Entry, error) {
			return chaos.Pulled(ctx, f, uid, pageSize)
		}},
		{"their own queries", func(ctx context.Context, client *firestore.Client, uid string) ([]chaos.Entry, error) {
			oldest := time.Now().Add(-d)
			got, err := direct(ctx, client, uid)
			if err != nil {
				return nil, err
			}
			// Older posts may still have relations. Clients need not show them.
			return slices.Concat(younger(got, oldest), g.Feed(uid)[len(younger(g.Feed(uid), oldest)):]), nil
		}},
	} {
		fmt.Fprintf(s.out, "feeds     by %s\n", source.name)
		if err := s.compareFeeds(ctx, g, source.read); err != nil {
			return err
		}
	}
	return nil
}

// younger returns the posts of a feed that are younger than oldest.
func younger(feed []chaos.Entry, oldest time.Time) []chaos.Entry {
	n := slices.IndexFunc(feed, func(e chaos.Entry) bool { return e.CreatedAt.Before(oldest) })
	if n < 0 {
		return feed
	}
	return feed[:n]
}

// firstPage is the number of posts requested for a first page.
const firstPage = 20

// firstPages prints the cost of first pages, by the number of the reader's posts inside the horizon.
// It also prints the result of the reader's own query.
func (s *system) firstPages(ctx context.Context, g *graph, f *feed.Feed, client *firestore.Client, d time.Duration) error {
	type cost struct{ readers, reads, requests, posts, direct int64 }
	var costs [3]cost // of readers with none, less than a page, at least a page
	for uid := range g.Follows {
		all := g.Feed(uid)
		inside := len(younger(all, time.Now().Add(-d)))
		c := &costs[0]
		switch {
		case inside >= firstPage:
			c = &costs[2]
		case inside > 0:
			c = &costs[1]
		case len(all) == 0:
			continue
		}
		metered, meter := wire.WithMeter(ctx)
		page, err := f.Page(metered, uid, firstPage, "")
		if err != nil {
			return err
		}
		shown, err := client.Collection("_relations").Where("followers", "array-contains", uid).
			OrderBy("createdAt", firestore.Desc).Limit(firstPage).Documents(ctx).GetAll()
		if err != nil {
			return err
		}
		n := meter.Counts()
		c.readers++
		c.reads += n.Reads
		c.requests += n.Requests
		c.posts += int64(len(page.Posts))
		c.direct += int64(len(shown))
	}
	for n, what := range []string{"no posts", "less than a page", "a page or more"} {
		if c := costs[n]; c.readers > 0 {
			each := func(n int64) float64 { return float64(n) / float64(c.readers) }
			fmt.Fprintf(s.out, "pages     %d readers with %s inside %v: %.1f reads and %.1f requests for %.1f posts by Feed; their own query shows %.1f\n",
				c.readers, what, d, each(c.reads), each(c.requests), each(c.posts), each(c.direct))
		}
	}
	return nil
}
