package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/console"
)

// readersAtOnce is how many feeds are read at the same time.
const readersAtOnce = 8

// compareFeeds reads the whole feed of every reader and compares it with the join.
func (s *system) compareFeeds(ctx context.Context, want *expected) error {
	began := time.Now()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readersAtOnce}}
	defer client.CloseIdleConnections()
	bar := console.Start("feeds compared", int64(len(want.following)))
	defer bar.End()
	var mu sync.Mutex
	var feeds, posts, differences int64
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for uid := range want.following {
		group.Go(func() error {
			got, err := reader{uid: uid, host: s.FirestoreHost(), http: client}.feed(groupCtx)
			if err != nil {
				return err
			}
			difference := compare(got, want.feed(uid))
			mu.Lock()
			defer mu.Unlock()
			feeds++
			posts += int64(len(got))
			if difference != "" {
				if differences++; differences <= maxShown {
					bar.Above(func() { fmt.Fprintf(s.out, "feed of %s: %s\n", uid, difference) })
				}
			}
			bar.Set(feeds)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	bar.End()
	fmt.Fprintf(s.out, "feeds   read in %.1f s\nfeeds compared: %d, posts in them: %d, differences: %d\n",
		time.Since(began).Seconds(), feeds, posts, differences)
	if differences > 0 {
		return fmt.Errorf("%d feeds differ from the join of the files", differences)
	}
	return nil
}

// compare says how a feed differs from the wanted one; "" if it does not. The
// posts of one second may come in any order; a post that comes twice is a
// difference. It sorts got.
func compare(got, want []post) string {
	for i := 1; i < len(got); i++ {
		if got[i].createdAt.After(got[i-1].createdAt) {
			return fmt.Sprintf("post %s at %d is newer than the one before it", got[i].id, i)
		}
	}
	slices.SortFunc(got, newestFirst)
	same := func(a, b post) bool { return a.id == b.id && a.createdAt.Equal(b.createdAt) }
	for i := range min(len(got), len(want)) {
		if !same(got[i], want[i]) {
			return fmt.Sprintf("%d posts, want %d; at %d it has %s of %v, want %s of %v",
				len(got), len(want), i, got[i].id, got[i].createdAt, want[i].id, want[i].createdAt)
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d posts, want %d", len(got), len(want))
	}
	return ""
}
