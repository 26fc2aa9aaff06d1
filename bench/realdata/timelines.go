package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/cli/console"
	"example.com/relationindex/internal/cli/importer"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit/oracle"
	"example.com/relationindex/test/chaos"
	"example.com/relationindex/timelines/layout"
)

// What a run with timelines imports, unless it is told: the emulator looks at whole
// collections, and each form should take some minutes.
const (
	timelineFollows = 10_000
	timelinePosts   = 700
)

// wave is how many posts are imported before the functions have to come to rest: then what
// a later wave brings has come later.
const wave = 25

// configure has the functions keep timelines, without relations.
func configure(form chaos.Form, cfg *config.Functions) {
	cfg.RelationsOff = true
	switch cfg.Timeline = string(form); form {
	case chaos.Buckets:
		cfg.Bucket = 10
	case chaos.Ring:
		cfg.Timeline, cfg.Bucket, cfg.Cap = string(chaos.Buckets), 5, 20
	default:
	}
}

// waves returns the wave that brings each post.
func waves(posts []importer.Document) map[string]int {
	of := map[string]int{}
	for n, d := range posts {
		of[postOf(d)] = n / wave
	}
	return of
}

// compareTimelines compares every reader's timeline with the join, and with its pages.
func (s *system) compareTimelines(ctx context.Context, client *firestore.Client, cfg config.Functions, g *graph, arrived map[string]int) error {
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
			difference := compareWithJoin(got, want, arrived, cfg.Cap)
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

// compareWithJoin says how a timeline differs from the posts that reach its reader, newest
// first; "" if it does not. With a limit it has as many of them as that, those that came
// last. Buckets show posts as they came: of two buckets, the later one has no post of an
// earlier wave than the other.
func compareWithJoin(got []layout.Entry, want []chaos.Entry, arrived map[string]int, limit int) string {
	posts, seen := make([]oracle.Post, len(want)), make([]oracle.Entry, len(got))
	for n, e := range want {
		posts[n] = oracle.Post{ID: e.Post, CreatedAt: e.CreatedAt, Must: limit == 0, Why: "they follow its author"}
	}
	for n, e := range got {
		seen[n] = oracle.Entry{Post: e.Post, At: time.UnixMicro(e.At), Bucket: e.Sequence}
	}
	if wrong := oracle.Of(posts...).Judge(seen); len(wrong) > 0 {
		return wrong[0]
	}
	if n := len(want); limit > 0 && len(got) != min(n, limit) {
		return fmt.Sprintf("%d posts, want %d", len(got), min(n, limit))
	}
	shown := map[string]bool{}
	for n, e := range got {
		shown[e.Post] = true
		if n > 0 && e.Sequence != got[n-1].Sequence && arrived[e.Post] > arrived[got[n-1].Post] {
			return fmt.Sprintf("%s comes after %s, which came before it", e.Post, got[n-1].Post)
		}
	}
	for _, e := range want {
		if n := len(got); n > 0 && !shown[e.Post] && arrived[e.Post] > arrived[got[n-1].Post] {
			return fmt.Sprintf("%s is missing, which came after %s", e.Post, got[n-1].Post)
		}
	}
	return ""
}

// verifyTimelines looks for problems in all timelines.
func (s *system) verifyTimelines(ctx context.Context, client *firestore.Client, cfg config.Functions) error {
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
