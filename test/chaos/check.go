package chaos

import (
	"context"
	"errors"
	"maps"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/api/iterator"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit/oracle"
)

// These are the sizes for reading feeds.
const (
	readersAtOnce = 8   // feeds
	feedPage      = 200 // relations
	functionPage  = 20  // posts, of the function Feed
)

// check compares the database with the oracle, and reports each difference. It adds the contents of
// timelines to sum. Nothing may be in flight.
func check(ctx context.Context, client *firestore.Client, cfg schema.Config, h *oracle.History, deleted map[string]bool, users int, sum *tally, report func(format string, args ...any)) error {
	if err := endOf(ctx, client, h, report); err != nil {
		return err
	}
	return errors.Join(
		checkInvariants(ctx, client, cfg, report),
		checkFeeds(ctx, client, cfg, h, users, report),
		checkTimelines(ctx, client, cfg, h, users, sum, report),
		checkTallies(ctx, client, cfg, &sum.counted, report),
		checkJobs(ctx, client, report),
		leftovers(ctx, client, deleted, report),
	)
}

// checkInvariants verifies the graph, and relations unless they are off.
func checkInvariants(ctx context.Context, client *firestore.Client, cfg schema.Config, report func(format string, args ...any)) error {
	index, err := social.Open(client, cfg)
	if err != nil {
		return err
	}
	_, err = verify.New(index).All(ctx, func(v verify.Violation) { report("%v", v) }, nil)
	return err
}

// checkFeeds checks the relations that clients query, and the pages that Feed makes of relations.
func checkFeeds(ctx context.Context, client *firestore.Client, cfg schema.Config, h *oracle.History, users int, report func(format string, args ...any)) error {
	if !cfg.Relations() {
		return nil
	}
	function := feed.New(client, cfg, nil)
	cfg.Feeds = nil // of relations only
	o := oracleOf(h, cfg)
	queried := oracleOfQueries(h, cfg)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for n := range users {
		group.Go(func() error {
			reader := userID(n)
			want := o.Reader(reader)
			got, err := ReadFeed(ctx, client, reader, feedPage)
			if err != nil {
				return err
			}
			if difference := told(withinHorizon(queried.Reader(reader), got, cfg.Horizon)); difference != "" {
				report("feed of %s: %s", reader, difference)
			}
			paged, err := Pages(ctx, function, reader, functionPage)
			if err != nil {
				return err
			}
			if difference := told(want.Judge(observedFeed(paged, true))); difference != "" {
				report("pages of %s: %s", reader, difference)
			}
			return nil
		})
	}
	return group.Wait()
}

// withinHorizon judges a feed that a client queries. Posts beyond the horizon may be missing; 0: no
// horizon.
func withinHorizon(want oracle.Reader, got []Entry, horizon time.Duration) []string {
	want.Posts = maps.Clone(want.Posts)
	for id, p := range want.Posts {
		p.Must = p.Must && (horizon == 0 || time.Since(p.CreatedAt) < horizon)
		want.Posts[id] = p
	}
	return want.Judge(observedFeed(got, false))
}

// checkJobs reports failed jobs. Verify reports unfinished ones.
func checkJobs(ctx context.Context, client *firestore.Client, report func(format string, args ...any)) error {
	docs := client.Collection(chunker.DefaultCollection).Where("state", "==", chunker.Failed).Documents(ctx)
	defer docs.Stop()
	for {
		doc, err := docs.Next()
		if errors.Is(err, iterator.Done) {
			return nil
		}
		if err != nil {
			return err
		}
		reason, _ := doc.DataAt("error.message")
		report("%s failed: %v", below(doc.Ref), reason)
	}
}
