package prices_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/relationindex/prices"
)

func list() prices.List { return prices.Lists[prices.DefaultLocation] }

func TestImpossibleNumbersAreRejected(t *testing.T) {
	for want, change := range map[string]func(*prices.Author){
		"--users -1: must be 0 to 1000000000":                        func(a *prices.Author) { a.Users = -1 },
		"--followers -1: must be 0 to 1000000000":                    func(a *prices.Author) { a.Followers = -1 },
		"--followers 1000000001: must be 0 to":                       func(a *prices.Author) { a.Followers = 1_000_000_001 },
		"--posts NaN: must be a number of 0 to":                      func(a *prices.Author) { a.Posts = math.NaN() },
		"--edits -0.5: must be a number of 0 to":                     func(a *prices.Author) { a.Edits = -0.5 },
		"--deletes +Inf: must be a number of 0 to":                   func(a *prices.Author) { a.Deletes = math.Inf(1) },
		"--follows 1e+13: must be a number of 0 to":                  func(a *prices.Author) { a.Follows = 1e13 },
		"--unfollows -Inf: must be a number of 0 to":                 func(a *prices.Author) { a.Unfollows = math.Inf(-1) },
		"--feed-reads -1: must be a number of 0 to":                  func(a *prices.Author) { a.Pages = -1 },
		"--opens -1: must be a number of 0 to":                       func(a *prices.Author) { a.Users, a.Pages = 1, -1 },
		"--kept-posts -1: must be 0 to 10000000":                     func(a *prices.Author) { a.Kept = -1 },
		"--capacity 0: must be 1 to 10000":                           func(a *prices.Author) { a.Capacity = 0 },
		"--horizon: horizon 1m0s: must be 1h0m0s to 87600h0m0s":      func(a *prices.Author) { a.Horizon = time.Minute },
		"--bucket 0: must be 1 to 1000":                              func(a *prices.Author) { a.Bucket = 0 },
		"--cap 0: must be 1 to 1000000":                              func(a *prices.Author) { a.Cap = 0 },
		"--backfill 1001: must be 0 to 1000":                         func(a *prices.Author) { a.Backfill = 1001 },
		"--following 100001: must be 0 to 100000":                    func(a *prices.Author) { a.Following = 100_001 },
		"--capacity 1: 1000000 followers would need 1000000 index d": func(a *prices.Author) { a.Capacity = 1 },
	} {
		a := prices.AuthorOf(1_000_000)
		change(&a)
		if err := a.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestImpossiblePricesAreRejected(t *testing.T) {
	for want, usd := range map[string]float64{
		"--price raed: must be one of call, delete, egress, read, storage, write": 1,
		"--price read=-1: must be":       -1,
		"--price egress=NaN: must be":    math.NaN(),
		"--price storage=1e+07: must be": 1e7,
	} {
		l := list()
		name, _, _ := strings.Cut(strings.TrimPrefix(want, "--price "), "=")
		name, _, _ = strings.Cut(name, ":")
		if err := l.Set(name, usd); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Whatever is asked, the answers are numbers, the cheapest first.
func TestMonthsAreFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := prices.AuthorOf(rapid.IntRange(0, 1_000_000_000).Draw(t, "followers"))
		a.Users = rapid.IntRange(0, 1_000_000_000).Draw(t, "users")
		a.Posts, a.Edits = rapid.Float64Range(0, 1e12).Draw(t, "posts"), rapid.Float64Range(0, 1e12).Draw(t, "edits")
		a.Follows, a.Pages = rapid.Float64Range(0, 1e12).Draw(t, "follows"), rapid.Float64Range(0, 1e12).Draw(t, "pages")
		a.Kept, a.Following = rapid.IntRange(0, 100_000).Draw(t, "kept"), rapid.IntRange(0, 1000).Draw(t, "following")
		a.Capacity = rapid.IntRange(1, 10_000).Draw(t, "capacity")
		a.Horizon = rapid.SampledFrom([]time.Duration{0, time.Hour, 90 * 24 * time.Hour}).Draw(t, "horizon")
		a.Bucket, a.Cap = rapid.SampledFrom([]int{1, 7, 20}).Draw(t, "bucket"), rapid.IntRange(1, 1_000_000).Draw(t, "cap")
		a.Backfill = rapid.IntRange(0, 1000).Draw(t, "backfill")
		if a.Validate() != nil {
			return // too many index documents
		}
		months := a.Months(prices.Lists["nam5"])
		for _, m := range months {
			if math.IsNaN(m.USD) || math.IsInf(m.USD, 0) || m.USD < 0 {
				t.Errorf("%s costs %v", m.Form, m.USD)
			}
		}
		if !slices.IsSortedFunc(months, func(x, y prices.Month) int { return cmp.Compare(x.USD, y.USD) }) {
			t.Error("months are not in the order of their price")
		}
	})
}

// 20,000,000 followers are 2,000 relations: one write each, one for the author, and the jobs' own.
func TestTwentyMillionFollowersAreTwoThousandRelations(t *testing.T) {
	a := prices.AuthorOf(20_000_000)
	if a.IndexDocuments() != 2000 {
		t.Errorf("%d index documents, want 2000", a.IndexDocuments())
	}
	const jobs = 8 // each is enqueued, claimed and ended
	for form, want := range map[string]float64{prices.Relations: 2000 + 1 + 1 + 3*jobs, prices.Items: 20_000_000 + 2 + 1 + 3} {
		if got := prices.Find(a.Operations(form), prices.Post).Writes; got != want {
			t.Errorf("%s: a post makes %v writes, want %v", form, got, want)
		}
	}
}

// A cap of items bounds what a timeline has. In the mean, each item that comes takes one away, and
// one in 25 costs a read of it and a count. A backfill costs a count and a read for each transaction more.
func TestItemCapBoundsTimelineCost(t *testing.T) {
	a := prices.AuthorOf(1_000)
	a.Following, a.Backfill, a.Kept, a.Cap = 10, 40, 90, 110 // of 900 entries of a reader; 11 of 90 of an author
	all, capped := a.Operations(prices.Items), a.Operations(prices.CappedItems)
	for operation, want := range map[string]prices.Counts{
		prices.Post:                          {Reads: 1000 + 2*1000/25, Deletes: 1000},
		"post to readers without a timeline": {Reads: 2 * 1000 / 25},
		"another audience, as large":         {Reads: 1000 + 2*1000/25, Deletes: 1000},
		prices.Follow:                        {Reads: 40 + 2*40.0/25 + 2*2, Deletes: 40},
		"unfollow":                           {Reads: -2 * 79, Deletes: -79},
		"edit":                               {},
		"delete a post":                      {},
		prices.FeedPage:                      {},
	} {
		got := prices.Find(capped, operation).Plus(prices.Find(all, operation).Times(-1))
		got.Invocations = 0
		if diff := diff.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%s, beyond that without a cap (-want +got):\n%s", operation, diff)
		}
	}
	const account = "deletion of the account"
	if got := prices.Find(all, account).Deletes - prices.Find(capped, account).Deletes; got != 79*1000+79 {
		t.Errorf("a cap leaves %v deletes of an account less, want 79 for each follower and its own", got)
	}
}

// A horizon leaves follows few relations to write, and each post's relations to be deleted.
func TestHorizonLowersFollowWrites(t *testing.T) {
	a := prices.AuthorOf(1_000_000)
	a.Kept = 1000
	without := a.Operations(prices.Relations)
	a.Horizon = 30 * 24 * time.Hour
	with := a.Operations(prices.Relations)
	const related = 31 // a post a day, and half a day until they are deleted
	if got, want := prices.Find(without, prices.Follow).Writes-prices.Find(with, prices.Follow).Writes, 1000.0-related+3; got != want {
		t.Errorf("a follow saves %v writes, want %v: of relations and of a job", got, want)
	}
	if got := prices.Find(with, prices.Post).Deletes; got != 100 {
		t.Errorf("a post costs %v deletes, want 100", got)
	}
	a.Horizon, a.Following = 24*time.Hour, 30
	if got := prices.Find(a.Operations(prices.Relations), prices.FeedPage).Reads; got <= 40 {
		t.Errorf("a page of whom a day's posts do not fill reads %v, want more than 40", got)
	}
}
