package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/schema"
	"example.com/relationindex/test/chaos"
	"example.com/relationindex/testkit/oracle"
	"example.com/relationindex/timelines/layout"
)

// These are the default sizes of an import with timelines. The emulator reads whole collections, and
// each form should take some minutes.
const (
	timelineFollows = 10_000
	timelinePosts   = 700
)

// wave is the number of posts imported before the functions must come to rest.
const wave = 25

// configure turns timelines on and relations off.
func configure(form chaos.Form, cfg *schema.Config) {
	cfg.Feeds = []string{string(form)}
	switch form {
	case chaos.Buckets:
		cfg.Bucket = 10
	case chaos.Ring:
		cfg.Feeds, cfg.Bucket, cfg.Cap = []string{string(chaos.Buckets)}, 5, 20
	default:
	}
}

// followBefore dates follows before all posts. The data sets have no times of follows, and a timeline
// has posts since the follow.
func followBefore(follows, posts []document) {
	if len(posts) == 0 {
		return
	}
	first := slices.MinFunc(posts, func(a, b document) int { return a.createdAt.Compare(b.createdAt) }).createdAt
	for _, d := range follows {
		d.data[schema.FieldCreatedAt] = first.Add(-time.Hour)
	}
}

// compareTimelines compares every reader's timeline with the join, and with its pages.
func (s *system) compareTimelines(ctx context.Context, client *firestore.Client, cfg schema.Config, g *graph) error {
	t, err := chaos.OpenTimelines(client, cfg)
	if err != nil {
		return err
	}
	began := time.Now()
	bar := console.Start("timelines compared", int64(len(g.Follows)))
	defer bar.End()
	var mu sync.Mutex
	var read, posts, capped, differences int64
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for uid := range g.Follows {
		group.Go(func() error {
			want := g.Feed(uid)
			got, err := t.List(groupCtx, uid)
			if err != nil {
				return err
			}
			paged, err := t.Pages(groupCtx, uid, pageSize)
			if err != nil {
				return err
			}
			difference := compareWithJoin(got, want, cfg.Cap)
			if difference == "" {
				difference = chaos.CompareFeeds(paged, chaos.Shown(got))
			}
			mu.Lock()
			defer mu.Unlock()
			read++
			posts += int64(len(got))
			if len(got) < len(want) {
				capped++
			}
			if difference != "" {
				if differences++; differences <= maxShown {
					bar.Above(func() { fmt.Fprintf(s.out, "timeline of %s: %s\n", uid, difference) })
				}
			}
			bar.Set(read)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	bar.End()
	fmt.Fprintf(s.out, "timelines read in %.1f s, %d of them capped\ntimelines compared: %d, posts in them: %d, differences: %d\n",
		time.Since(began).Seconds(), capped, read, posts, differences)
	if differences > 0 {
		return fmt.Errorf("%d timelines differ from the join of the files", differences)
	}
	return nil
}

// compareWithJoin returns how a timeline differs from the posts that reach its reader, newest first;
// "": it does not. With a limit, the timeline must have the newest limit posts, and may have older
// ones.
func compareWithJoin(got []layout.Entry, want []chaos.Entry, limit int) string {
	var last time.Time // posts of the same time as the last one may be left out
	if limit > 0 && len(want) > limit {
		last = want[limit].CreatedAt
	}
	posts, seen := make([]oracle.Post, len(want)), make([]oracle.Entry, len(got))
	for n, e := range want {
		posts[n] = oracle.Post{ID: e.Post, CreatedAt: e.CreatedAt, Must: limit == 0 || n < limit && e.CreatedAt.After(last), Why: "they follow its author"}
	}
	for n, e := range got {
		seen[n] = oracle.Entry{Post: e.Post, At: time.UnixMicro(e.At), Bucket: e.Sequence}
	}
	if wrong := oracle.Of(posts...).Judge(seen); len(wrong) > 0 {
		return wrong[0]
	}
	return ""
}

// verifyTimelines looks for problems in all timelines.
func (s *system) verifyTimelines(ctx context.Context, client *firestore.Client, cfg schema.Config) error {
	t, err := chaos.OpenTimelines(client, cfg)
	if err != nil {
		return err
	}
	began := time.Now()
	bar := console.Start("verify-timelines", -1)
	defer bar.End()
	shown := 0
	n, err := t.Verify(ctx, func(format string, args ...any) {
		if shown++; shown <= maxShown {
			bar.Above(func() { fmt.Fprintf(s.out, format+"\n", args...) })
		}
	})
	bar.End()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "verify    %d timelines, %d documents, %d entries in %.1f s\nverify-timelines: %d problems\n",
		n.Timelines, n.Documents, n.Entries, time.Since(began).Seconds(), n.Problems)
	if n.Problems > 0 {
		return fmt.Errorf("%d problems of timelines", n.Problems)
	}
	return nil
}
