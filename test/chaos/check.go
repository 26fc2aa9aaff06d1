package chaos

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
)

// These are the sizes for reading feeds.
const (
	readersAtOnce = 8   // feeds
	feedPage      = 200 // relations
	functionPage  = 20  // posts, of the function Feed
)

// check compares the database with the oracle, and reports each difference. It counts what it sees. Nothing may be in
// flight.
func check(ctx context.Context, client *firestore.Client, cfg schema.Config, h *oracle.History, users int, found *findings) error {
	docs, err := endOf(ctx, client, h, found)
	if err != nil {
		return err
	}
	for path, job := range docs {
		if strings.HasPrefix(path, chunker.DefaultCollection+"/") && job["state"] == string(chunker.Failed) {
			reason, _ := job["error"].(map[string]any)
			found.report("%s failed: %v", path, reason["message"])
		}
	}
	accounts, _ := h.Gone()
	for _, wrong := range testkit.Leftovers(docs, accounts, nil) {
		found.report("%s", wrong)
	}
	if cfg.Counts {
		tallies := oracle.Tallies(docs, cfg.ReaderSettings)
		for _, wrong := range tallies.Wrong {
			found.report("%s", wrong)
		}
		found.count("numbers", tallies.Numbers)
		found.count("notifications", tallies.Notifications)
		found.count("actors that notifications spare", tallies.Spared)
	}
	return errors.Join(checkInvariants(ctx, client, cfg, found), checkFeeds(ctx, client, cfg, h, users, found), checkTimelines(ctx, client, cfg, h, users, found))
}

// endOf adds the present documents to a history, and reports documents that no client explains. It returns all documents.
func endOf(ctx context.Context, client *firestore.Client, h *oracle.History, found *findings) (map[string]map[string]any, error) {
	docs, err := testkit.ReadDocuments(ctx, client, testkit.AllCollections, nil)
	if err != nil {
		return nil, err
	}
	for _, wrong := range h.End(time.Now(), docs) {
		found.report("%s", wrong)
	}
	return docs, nil
}

// checkInvariants verifies the graph, and relations unless they are off.
func checkInvariants(ctx context.Context, client *firestore.Client, cfg schema.Config, found *findings) error {
	index, err := social.Open(client, cfg)
	if err != nil {
		return err
	}
	_, err = verify.New(index).All(ctx, func(v verify.Violation) { found.report("%v", v) }, nil)
	return err
}

// checkFeeds checks the relations that clients query, and the pages that Feed makes of relations.
func checkFeeds(ctx context.Context, client *firestore.Client, cfg schema.Config, h *oracle.History, users int, found *findings) error {
	if !cfg.Relations() {
		return nil
	}
	function := feed.New(client, cfg, nil)
	cfg.Feeds = nil // of relations only
	// Relations that clients query keep posts for groups that name a reader who blocks the author. Feed leaves such
	// posts out.
	queries := oracleConfig(cfg)
	queries.Groups = true
	queried, o := oracle.New(h, queries, time.Now()), oracleOf(h, cfg)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for n := range users {
		group.Go(func() error {
			reader := clients.UserID(n)
			got, err := clients.ReadFeed(ctx, client, reader, feedPage)
			if err != nil {
				return err
			}
			found.told("feed of "+reader, withinHorizon(queried.Reader(reader), cfg.Horizon).Judge(observedFeed(got, showsText)))
			paged, err := pagesOf(ctx, function.Page, reader, functionPage)
			if err != nil {
				return err
			}
			found.told("pages of "+reader, o.Reader(reader).Judge(observedFeed(paged, showsWhole)))
			return nil
		})
	}
	return group.Wait()
}

// withinHorizon returns what a feed that a client queries must have. Posts beyond the horizon may be missing; 0: no
// horizon.
func withinHorizon(want oracle.Reader, horizon time.Duration) oracle.Reader {
	want.Posts = maps.Clone(want.Posts)
	for id, p := range want.Posts {
		p.Must = p.Must && (horizon == 0 || time.Since(p.CreatedAt) < horizon)
		want.Posts[id] = p
	}
	return want
}
