package cost

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/prices"
)

const long = `cost prints what an author or an app costs in Firestore in a month, for each way to
deliver and read posts: documents read, written and deleted, storage with indexes,
egress of feeds, and the bill at list prices. The cheapest way is first. Then cost
prints which variables to set, and which limits the numbers reach.

For an author, give --followers and the numbers of a day. The default of --follows
is one new follower a day for every 1,000 followers. The default of --feed-reads is one
page a day for every 10 followers.

For an app, give --users. Each user is an author, follows --following others, has
as many followers, writes --posts and opens --opens pages of the feed a day.

Relations are documents of a post with up to 10,000 followers each. Timelines are
documents of a reader: items have one post each; capped items are deleted beyond the
cap; buckets have many posts each; a ring is a fixed number of buckets; days have
the posts of a day. Pull writes nothing for readers: Feed queries the posts of
everyone that a reader follows.

A page has 20 posts, all by authors like this one. A month has 30 days. The
operations, which --operations prints, equal what the meter counts on the emulator.
The bill leaves out free quotas, compute time of functions, reads by security
rules, listeners and backups. docs/cost.md has the model.`

// Result is the object that cost prints with --json.
type Result struct {
	Author prices.Author  `json:"author"`
	Prices prices.List    `json:"prices"`
	Months []prices.Month `json:"months"` // cheapest first
}

// flags are the command's flags, except the numbers of an author.
type flags struct {
	opens      float64
	location   string
	changes    []string
	operations bool
	asJSON     bool
}

// New returns the command cost.
func New() *cobra.Command {
	author, f := prices.AuthorOf(1_000_000), flags{}
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Calculate the monthly cost of an author or an app",
		Long:  long,
		Example: `  relationindex cost --users 10000 --following 100 --posts 0.5 --opens 5
  relationindex cost --followers 20000000 --posts 10
  relationindex cost --followers 50000 --capacity 500 --feed-reads 20000
  relationindex cost --followers 2000 --operations
  relationindex cost --location nam5 --price egress=0.08 --price call=0`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			assume(cmd, &author, f.opens)
			list, err := listOf(f.location, f.changes)
			if err := errors.Join(together(cmd, author.Users), err, author.Validate()); err != nil {
				return command.Usage(err)
			}
			out := cmd.OutOrStdout()
			switch {
			case f.asJSON:
				return json.NewEncoder(out).Encode(Result{author, list, author.Months(list)})
			case f.operations:
				return printOperations(out, author)
			default:
				return printMonths(out, author, list, f.location)
			}
		},
	}
	addAuthor(cmd, &author)
	addOthers(cmd, &f)
	return cmd
}

func addAuthor(cmd *cobra.Command, a *prices.Author) {
	f := cmd.Flags()
	f.IntVar(&a.Users, flagUsers, 0, "users of an app; each is an author and a reader (default: one author alone)")
	f.IntVar(&a.Followers, flagFollowers, a.Followers, "followers of the author")
	f.Float64Var(&a.Posts, "posts", a.Posts, "new posts a day")
	f.Float64Var(&a.Edits, "edits", 0, "edits of posts a day that change what feeds show (default: 0)")
	f.Float64Var(&a.Deletes, "deletes", 0, "deletions of posts a day (default: 0)")
	f.Float64Var(&a.Follows, flagFollows, 0, "new followers a day (default: followers / 1000; in an app, following / 1000)")
	f.Float64Var(&a.Unfollows, "unfollows", 0, "followers who unfollow in a day (default: 0)")
	f.Float64Var(&a.Pages, flagPages, 0, "pages that the followers load in a day, together (default: followers / 10)")
	f.IntVar(&a.Kept, "kept-posts", a.Kept, "existing posts of the author")
	f.IntVar(&a.Following, "following", a.Following, "authors whom each reader follows")
	f.IntVar(&a.Capacity, "capacity", a.Capacity, "ids of followers in an index document, 1 to 10000")
	f.DurationVar(&a.Horizon, "horizon", 0, "relations: the age up to which posts have relations, such as 720h (default: 0, any age)")
	f.IntVar(&a.Bucket, "bucket", a.Bucket, "buckets and rings: posts in a document, 1 to 1000")
	f.IntVar(&a.Cap, "cap", a.Cap, "rings and capped items: posts that a timeline keeps, 1 to 1000000")
	f.IntVar(&a.Backfill, "backfill", a.Backfill, "timelines: posts of the author that a new follower gets, 0 to 1000")
}

func addOthers(cmd *cobra.Command, all *flags) {
	f := cmd.Flags()
	f.Float64Var(&all.opens, flagOpens, 5, "with --users: pages that each user loads a day")
	f.StringVar(&all.location, "location", prices.DefaultLocation, "location of the database, which decides the list prices: "+strings.Join(locations(), " or "))
	f.StringArrayVar(&all.changes, "price", nil, "your price in USD, as NAME=USD; repeat the flag for more prices: "+priceNames())
	f.BoolVar(&all.operations, flagOperations, false, "print what each operation reads, writes and deletes")
	f.BoolVar(&all.asJSON, flagJSON, false, "print one object, with months and operations")
}

const (
	flagUsers     = "users"
	flagOpens     = "opens"
	flagFollowers = "followers"
	flagFollows   = "follows"
	flagPages     = "feed-reads"

	flagOperations = "operations"
	flagJSON       = "json"
)

// assume sets numbers without a flag from the numbers with one.
func assume(cmd *cobra.Command, a *prices.Author, opens float64) {
	if a.Users > 0 {
		a.Followers, a.Pages = a.Following, opens
	}
	assumed := prices.AuthorOf(a.Followers)
	if !cmd.Flags().Changed(flagFollows) {
		a.Follows = assumed.Follows
	}
	if a.Users == 0 && !cmd.Flags().Changed(flagPages) {
		a.Pages = assumed.Pages
	}
}

// together returns an error for flags that exclude each other, or that require another.
func together(cmd *cobra.Command, users int) error {
	set := cmd.Flags().Changed
	if set(flagUsers) && users < 1 {
		return fmt.Errorf("--%s %d: must be 1 to 1000000000", flagUsers, users)
	}
	for _, flag := range []string{flagFollowers, flagPages} {
		if set(flagUsers) && set(flag) {
			return fmt.Errorf("--%s and --%s exclude each other: for an app, give --following and --%s", flagUsers, flag, flagOpens)
		}
	}
	switch {
	case set(flagOpens) && !set(flagUsers):
		return fmt.Errorf("--%s requires --%s: for one author, give --%s", flagOpens, flagUsers, flagPages)
	case set(flagOperations) && set(flagJSON):
		return fmt.Errorf("--%s and --%s exclude each other: the output of --%s includes the operations", flagOperations, flagJSON, flagJSON)
	}
	return nil
}

func locations() []string { return slices.Sorted(maps.Keys(prices.Lists)) }

func priceNames() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(prices.Units)) {
		names = append(names, name+" (of "+prices.Units[name]+")")
	}
	return strings.Join(names, ", ")
}

// listOf returns the list prices of a location. Prices in flags replace list prices.
func listOf(location string, flags []string) (prices.List, error) {
	list, ok := prices.Lists[location]
	if !ok {
		return list, fmt.Errorf("--location %q: must be %s", location, strings.Join(locations(), " or "))
	}
	var errs []error
	for _, flag := range flags {
		name, value, _ := strings.Cut(flag, "=")
		usd, err := strconv.ParseFloat(value, 64)
		if err != nil {
			errs = append(errs, fmt.Errorf("--price %q: must be NAME=USD", flag))
			continue
		}
		errs = append(errs, list.Set(name, usd))
	}
	return list, errors.Join(errs...)
}
