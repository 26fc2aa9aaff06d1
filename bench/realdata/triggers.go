package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/clients"
)

// idleTimeout is long, for machines on which the functions are slow.
const idleTimeout = time.Hour

// loadThroughTriggers writes follows and posts, and compares every feed and every invariant.
func (s *system) loadThroughTriggers(ctx context.Context, files []string) error {
	g, err := readFollows(files[0], s.options.follows)
	if err != nil {
		return err
	}
	posts, err := g.readPosts(files[1], s.options.posts, s.options.capacity)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "data      %d follows of %d accounts by %d readers; %d posts of authors with more than %d followers\n",
		g.follows, len(g.followers), len(g.Follows), len(posts), s.options.capacity)
	cfg := schema.Config{NoOwnPosts: true, Capacity: s.options.capacity}
	p, err := s.project(ctx, projectID, cfg)
	if err != nil {
		return err
	}
	var follows []document
	for follower, authors := range g.Follows {
		for author := range authors {
			follows = append(follows, document{"users/" + author + "/followers/" + follower, map[string]any{"createdAt": firestore.ServerTimestamp}})
		}
	}
	if err := s.write(ctx, p, "follows", follows); err != nil {
		return err
	}
	if err := s.write(ctx, p, "posts", posts); err != nil {
		return err
	}
	return errors.Join(s.compareFeeds(ctx, g), s.verify(ctx, projectID, cfg))
}

// write writes documents, waits until the functions are idle, and prints the rate from the first write
// to the end.
func (s *system) write(ctx context.Context, p *local.Project, what string, documents []document) error {
	ctx, cancel := context.WithTimeout(ctx, idleTimeout)
	defer cancel()
	began, n := time.Now(), len(documents)
	bar := console.Start("writing "+what, int64(n))
	defer bar.End()
	written := int64(0)
	for few := range slices.Chunk(documents, 500) {
		if err := testkit.WriteEach(ctx, p.Client, few, func(w *firestore.BulkWriter, d document) (*firestore.BulkWriterJob, error) {
			return w.Create(p.Client.Doc(d.path), d.data)
		}); err != nil {
			return fmt.Errorf("write %s: %w", what, err)
		}
		written += int64(len(few))
		bar.Set(written)
	}
	wrote := time.Since(began)
	if err := p.Idle(ctx); err != nil {
		return err
	}
	bar.End()
	took := time.Since(began)
	fmt.Fprintf(s.out, "%-9s %d written in %.1f s, all consequences after %.1f s: %.0f %s/s\n",
		what, n, wrote.Seconds(), took.Seconds(), float64(n)/took.Seconds(), what)
	return nil
}

const (
	readersAtOnce = 8
	pageSize      = 50 // the largest page that the rules allow
)

// compareFeeds reads the whole feed of every reader, by the reader's own queries, and compares it with the join.
func (s *system) compareFeeds(ctx context.Context, g *graph) error {
	client, err := wire.OpenUnderRules(ctx, projectID, s.Emulator.FirestoreHost())
	if err != nil {
		return err
	}
	defer client.Close()
	began := time.Now()
	bar := console.Start("feeds compared", int64(len(g.Follows)))
	defer bar.End()
	var mu sync.Mutex
	var feeds, posts, differences int64
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for uid := range g.Follows {
		group.Go(func() error {
			got, err := clients.ReadFeed(wire.As(groupCtx, idToken(uid)), client, uid, pageSize)
			if err != nil {
				return err
			}
			difference := clients.CompareFeeds(got, g.Feed(uid))
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
	fmt.Fprintf(s.out, "feeds     read in %.1f s\nfeeds compared: %d, posts in them: %d, differences: %d\n",
		time.Since(began).Seconds(), feeds, posts, differences)
	if differences > 0 {
		return fmt.Errorf("%d feeds differ from the join of the files", differences)
	}
	return nil
}

// idToken returns a reader's ID token. The emulator accepts unsigned ones.
func idToken(uid string) string {
	now := time.Now().Unix()
	claims, _ := json.Marshal(map[string]any{ // of texts and numbers
		"iss": "https://securetoken.google.com/" + projectID, "aud": projectID,
		"sub": uid, "user_id": uid, "iat": now, "exp": now + 3600,
	})
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(claims) + "."
}
