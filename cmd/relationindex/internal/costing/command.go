package costing

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/prices/estimate"
	"example.com/relationindex/schema"
)

// New returns the command cost.
func New() *cobra.Command {
	in := estimate.Defaults(1_000_000)
	location := estimate.DefaultLocation
	var changes []string
	asJSON := false
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Say what an author costs in a month, in four designs",
		Long: `cost takes an author and what happens to them in a day, and prints what that
costs in Firestore: operations, storage with indexes, egress of feeds and the
monthly bill at list prices. It does so for the relation index, read by clients
and read through a server that leaves out the followers; for timelines, each
reader's own documents; for fan-out on write, a document for each follower for
each post, which is timelines of items alone; and for fan-out on read, a query
for each thirty authors that a reader follows.

Then it prints each operation of timelines in each layout, and compares ways to
read: these designs; pull, which takes posts without relations (on a horizon of
1h); and one pipeline of Enterprise edition, whose price nobody has proven: from
the index entries of a week to those of all posts.

It ends with advice: the choices, the cheapest first, what each costs more for,
which variables to set, and the limits that these numbers reach.

Without --follows it takes one for every 1,000 followers, without --feed-reads
one for every 10. Every post in a page of a feed is taken to be by an author
like this one, unless --page-ids says otherwise. A month has 30 days.

The operations are what the meter counts on the emulator, exactly. Prices are
without free quotas, and without the time that functions compute.`,
		Example: `  relationindex cost --followers 20000000 --posts 10
  relationindex cost --followers 50000 --capacity 500 --feed-reads 20000
  relationindex cost --followers 5000 --to 3 --own-posts --closed
  relationindex cost --followers 300 --timeline buckets --bucket 20 --cap 500
  relationindex cost --location nam5 --price egress=0.08 --price call=0
  relationindex cost --price read=0.03 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			assumed := estimate.Defaults(in.Followers)
			if !cmd.Flags().Changed("follows") {
				in.Follows = assumed.Follows
			}
			if !cmd.Flags().Changed("feed-reads") {
				in.FeedReads = assumed.FeedReads
			}
			cfg, err := config.LoadCLI()
			if err != nil {
				return err
			}
			configured(&in, cfg, cmd.Flags().Changed)
			prices, err := pricesOf(location, changes)
			if err := errors.Join(err, in.Validate()); err != nil {
				return command.Usage(err)
			}
			report, err := in.Estimate(prices)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(report)
			}
			return printCost(cmd.OutOrStdout(), report)
		},
	}
	f := cmd.Flags()
	f.Int64Var(&in.Followers, "followers", in.Followers, "followers of the author")
	f.Float64Var(&in.Posts, "posts", in.Posts, "new posts a day")
	f.Float64Var(&in.Edits, "edits", in.Edits, "edits of posts a day, of what feeds show")
	f.Float64Var(&in.Deletes, "deletes", in.Deletes, "deletions of posts a day")
	f.Float64Var(&in.Follows, "follows", 0, "new followers a day (default: followers / 1000)")
	f.Float64Var(&in.Unfollows, "unfollows", in.Unfollows, "followers who leave, a day")
	f.Float64Var(&in.FeedReads, "feed-reads", 0, "pages that the followers load in a day, together (default: followers / 10)")
	f.IntVar(&in.KeptPosts, "kept-posts", in.KeptPosts, "posts of the author that are there")
	f.IntVar(&in.PageSize, "page-size", in.PageSize, "posts in a page of a feed, 1 to 50")
	f.IntVar(&in.PageIDs, "page-ids", in.PageIDs, "follower ids in each relation of a page (default: as in this author's)")
	f.IntVar(&in.Recipients, "to", in.Recipients, "recipients of each post, 0 to 100")
	f.BoolVar(&in.OwnPosts, "own-posts", false, "authors have their own posts in their feeds (RELATIONINDEX_OWN_POSTS)")
	f.BoolVar(&in.Closed, "closed", false, "the author accepts followers, who ask")
	f.IntVar(&in.Capacity, "capacity", in.Capacity, "ids in an index document, 1 to 10000")
	f.DurationVar(&in.Horizon, "horizon", in.Horizon, "how old posts may be that have relations, such as 720h; 0: of any age (default: RELATIONINDEX_HORIZON)")
	f.IntVar(&in.Depth, "depth", in.Depth, "pages that a reader loads one after the other; Feed pulls those beyond the horizon")
	f.BoolVar(&in.PostsFilled, "posts-filled", false, "every post has its fields audience and hidden: pull makes half the queries (default: RELATIONINDEX_POSTS_FILLED)")
	f.StringVar(&in.Layout, "timeline", in.Layout, "layout of timelines: "+strings.Join(estimate.Layouts, ", ")+" (default: RELATIONINDEX_TIMELINE, or buckets)")
	f.IntVar(&in.Bucket, "bucket", in.Bucket, "entries in a document of a timeline of buckets, 1 to 1000 (default: RELATIONINDEX_BUCKET of buckets)")
	f.IntVar(&in.Cap, "cap", in.Cap, "entries that a timeline of items or buckets keeps, at least; 0: all (default: RELATIONINDEX_CAP)")
	f.BoolVar(&in.RelationsOff, "relations-off", in.RelationsOff, "timelines are alone, without relations beside them (default: RELATIONINDEX_RELATIONS_OFF, or true without RELATIONINDEX_TIMELINE)")
	f.BoolVar(&in.Settings, "settings", in.Settings, "timelines follow what readers have decided (default: RELATIONINDEX_SETTINGS)")
	f.BoolVar(&in.Ranked, "ranked", in.Ranked, "comments lift items of timelines (default: RELATIONINDEX_RANKED)")
	f.IntVar(&in.IDBytes, "id-bytes", in.IDBytes, "length of a user's id")
	f.IntVar(&in.CopiedBytes, "copied-bytes", in.CopiedBytes, "bytes of a post that feeds show")
	f.IntVar(&in.Backfill, "backfill", in.Backfill, "fan-out on write and timelines: posts that a new follower gets (default: RELATIONINDEX_BACKFILL with RELATIONINDEX_TIMELINE)")
	f.IntVar(&in.Following, "following", in.Following, "authors that a reader follows, for fan-out on read, pull, Enterprise and timelines")
	f.BoolVar(&in.CachedFollowing, "cached-following", false, "fan-out on read: devices remember whom the reader follows")
	f.StringVar(&location, "location", location, "location of the database: "+strings.Join(locations(), " or "))
	f.StringArrayVar(&changes, "price", nil, "a price of your own, NAME=USD, any number of times: "+priceNames())
	f.BoolVar(&asJSON, "json", false, "print one object, as in package internal/estimate, Report")
	return cmd
}

// configured takes from the configuration what flags do not say.
func configured(in *estimate.Inputs, cfg config.Functions, changed func(flag string) bool) {
	set := func(flag string, take func()) {
		if !changed(flag) {
			take()
		}
	}
	set("horizon", func() { in.Horizon = cfg.Horizon })
	set("posts-filled", func() { in.PostsFilled = cfg.PostsFilled })
	if cfg.Timeline == "" {
		return
	}
	set("timeline", func() { in.Layout = cfg.Timeline })
	if cfg.Timeline == schema.LayoutBuckets {
		set("bucket", func() { in.Bucket = cmp.Or(cfg.Bucket, config.DefaultBucket) })
	}
	if cfg.Timeline == schema.LayoutBuckets || in.Layout != schema.LayoutBuckets { // that of items may be no multiple of a bucket
		set("cap", func() { in.Cap = cfg.Cap })
	}
	set("backfill", func() { in.Backfill = cfg.Backfill })
	set("relations-off", func() { in.RelationsOff = cfg.RelationsOff })
	set("settings", func() { in.Settings = cfg.ReaderSettings })
	set("ranked", func() { in.Ranked = cfg.Ranked })
}

func locations() []string { return slices.Sorted(maps.Keys(estimate.ListPrices)) }

func priceNames() string {
	var names []string
	for _, s := range estimate.Sources {
		names = append(names, s.Price+" (of "+s.Unit+")")
	}
	return strings.Join(names, ", ")
}

// pricesOf are the list prices of a location with those of flags in their place.
func pricesOf(location string, flags []string) (estimate.Prices, error) {
	prices, ok := estimate.ListPrices[location]
	if !ok {
		return prices, fmt.Errorf("--location %q: must be %s", location, strings.Join(locations(), " or "))
	}
	changes := map[string]float64{}
	for _, flag := range flags {
		name, value, _ := strings.Cut(flag, "=")
		usd, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return prices, fmt.Errorf("--price %q: must be NAME=USD", flag)
		}
		changes[name] = usd
	}
	return prices, prices.Set(changes)
}
