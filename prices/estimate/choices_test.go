package estimate_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/relationindex/prices"
	"example.com/relationindex/prices/estimate"
	"example.com/relationindex/schema"
)

const month = 30 * 24 * time.Hour

// The numbers of each row lead to its choice, and are the reason.
func TestNumbersLeadToAChoice(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*estimate.Inputs)
		want    string
		horizon time.Duration
		layout  string
		over    string // a choice that costs more
		why     string // the part for which it does
	}{
		{"popular, many pages", func(in *estimate.Inputs) {}, estimate.WayFeed, 0, "", estimate.WayPull, estimate.PartPages},
		{"popular, over timelines", func(in *estimate.Inputs) {}, estimate.WayFeed, 0, "", estimate.WayTimeline, estimate.PartPosts},
		{"full relations, over clients", func(in *estimate.Inputs) {}, estimate.WayFeed, 0, "", estimate.WayClients, estimate.PartEgress},
		{"many posts and follows", func(in *estimate.Inputs) { in.KeptPosts, in.Follows = 1000, 20_000 }, estimate.WayFeed, month, "", estimate.WayPull, estimate.PartPages},
		{"many follows, no pages", func(in *estimate.Inputs) { in.Follows, in.FeedReads = 100_000, 100 }, estimate.WayPull, time.Hour, "", estimate.WayFeed, estimate.PartFollows},
		{"small relations", func(in *estimate.Inputs) { in.Capacity, in.PageIDs, in.Posts, in.FeedReads = 500, 10, 100, 1_000_000 }, estimate.WayClients, 0, "", estimate.WayFeed, estimate.PartPages},
		{"few readers, many pages", func(in *estimate.Inputs) { in.Followers, in.Posts, in.FeedReads = 2_000, 10, 20_000 }, estimate.WayTimeline, 0, schema.LayoutBuckets, estimate.WayFeed, estimate.PartPages},
		{"without a relation to read", func(in *estimate.Inputs) { in.Followers, in.Posts, in.Following, in.FeedReads = 100, 1, 40, 100_000 }, estimate.WayTimeline, 0, schema.LayoutBuckets, estimate.WayPull, estimate.PartPages},
		{"who follow few", func(in *estimate.Inputs) { in.Following, in.CachedFollowing, in.KeptPosts = 30, true, 1000 }, estimate.WayQuery, 0, "", estimate.WayTimeline, estimate.PartStorage},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := estimate.Defaults(1_000_000)
			test.change(&in)
			r := reportOf(t, in)
			best := r.Choices[0]
			if best.Name != test.want || best.Horizon != test.horizon || best.Layout != test.layout || !r.Decided() {
				t.Fatalf("%s, horizon %v, layout %q, decided: %v; want %s, %v, %q", best.Name, best.Horizon, best.Layout, r.Decided(), test.want, test.horizon, test.layout)
			}
			other := r.Choices[1+slices.IndexFunc(r.Choices[1:], func(c estimate.Choice) bool { return c.Name == test.over })]
			if got := other.Dearer(best); got.Name != test.why || got.USD <= 0 {
				t.Errorf("%s costs more for %+v, want for %s", other.Name, got, test.why)
			}
		})
	}
}

// Nothing is decided by cents.
func TestSmallNumbersDecideNothing(t *testing.T) {
	if r := reportOf(t, estimate.Defaults(300)); r.Decided() {
		t.Errorf("from %v to %v USD: decided", r.Choices[0].High, r.Choices[len(r.Choices)-1].High)
	}
}

// A query of posts names thirty authors. For readers who follow more it is no choice.
func TestAQueryIsForThoseWhoFollowFew(t *testing.T) {
	in := estimate.Defaults(1_000_000)
	for in.Following = range prices.InLimit + 2 {
		isThere := slices.ContainsFunc(reportOf(t, in).Choices, func(c estimate.Choice) bool { return c.Name == estimate.WayQuery })
		if isThere != (in.Following <= prices.InLimit) {
			t.Errorf("%d followed: the query is a choice: %v", in.Following, isThere)
		}
	}
}

// A horizon has its price in what clients see, and is not advised for a few per cent.
func TestAHorizonHasToPay(t *testing.T) {
	in := estimate.Defaults(1_000_000)
	in.KeptPosts = 1000
	for pages, want := range map[float64]time.Duration{3_000_000: 0, 100_000: month} {
		in.FeedReads = pages
		for _, c := range reportOf(t, in).Choices {
			if c.Name == estimate.WayFeed && c.Horizon != want {
				t.Errorf("%v pages: a horizon of %v, want %v", pages, c.Horizon, want)
			}
		}
	}
	in.FeedReads, in.Horizon = 100_000, 24*time.Hour // a page of the authors that a reader follows is of a day
	for _, c := range reportOf(t, in).Choices {
		if c.Name == estimate.WayClients && c.Horizon != 0 || c.Name == estimate.WayFeed && c.Horizon != 24*time.Hour {
			t.Errorf("%s has a horizon of %v", c.Name, c.Horizon)
		}
	}
}

// The parts of a choice are its bill, and choices are in its order.
func TestPartsOfChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := estimate.Defaults(rapid.Int64Range(0, 30_000_000).Draw(t, "followers"))
		in.Posts, in.Edits, in.Deletes = rapid.Float64Range(0, 1e3).Draw(t, "posts"), rapid.Float64Range(0, 10).Draw(t, "edits"), rapid.Float64Range(0, 10).Draw(t, "deletes")
		in.Unfollows, in.FeedReads = rapid.Float64Range(0, 1e4).Draw(t, "unfollows"), rapid.Float64Range(0, 1e6).Draw(t, "pages")
		in.KeptPosts, in.Horizon, in.Following = rapid.IntRange(0, 3000).Draw(t, "kept posts"), rapid.SampledFrom([]time.Duration{0, time.Hour, month}).Draw(t, "horizon"), rapid.IntRange(0, 1500).Draw(t, "following")
		in.RelationsOff = rapid.Bool().Draw(t, "relations off")
		r, err := in.Estimate(listPrices())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Choices {
			sum := 0.0
			for _, part := range c.Parts {
				sum += part.USD
			}
			if math.Abs(sum-c.High) > 1e-9*max(1, c.High) {
				t.Errorf("%s %s: the parts are %v, the month %v", c.Name, c.Layout, sum, c.High)
			}
		}
		if !slices.IsSortedFunc(r.Choices, func(a, b estimate.Choice) int { return cmp.Compare(a.High, b.High) }) {
			t.Error("choices are not in the order of their price")
		}
	})
}

func TestLimitsThatNumbersReach(t *testing.T) {
	in := estimate.Defaults(1_000_000)
	if in.LeftOut() != 0 || in.FullDays() || in.InBackground(0) {
		t.Errorf("of 100 followed %d are left out, a day is full: %v, a follow is a job: %v", in.LeftOut(), in.FullDays(), in.InBackground(0))
	}
	in.Following, in.KeptPosts, in.Posts = 1001, 101, 5
	if in.LeftOut() != 1 || !in.FullDays() || !in.InBackground(0) || in.InBackground(7*24*time.Hour) {
		t.Errorf("of 1,001 followed %d are left out, a day of 5,005 is full: %v, a follow is a job: %v, with a horizon: %v", in.LeftOut(), in.FullDays(), in.InBackground(0), in.InBackground(7*24*time.Hour))
	}
	// 150,000 writes are five minutes at 500 a second; 375,000 are these and five at 750.
	for writes, want := range map[float64]float64{0: 0, 150_000: 5, 375_000: 10} {
		if got := estimate.RampUp(writes); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v writes take %v minutes, want %v", writes, got, want)
		}
	}
}
