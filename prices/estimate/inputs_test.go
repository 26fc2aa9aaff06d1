package estimate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/relationindex/prices/estimate"
)

func TestInputsThatCannotBeAreRefused(t *testing.T) {
	for want, change := range map[string]func(*estimate.Inputs){
		"--followers -1: must be 0 to 1000000000":                    func(in *estimate.Inputs) { in.Followers = -1 },
		"--followers 1000000001: must be 0 to":                       func(in *estimate.Inputs) { in.Followers = 1_000_000_001 },
		"--posts NaN: must be a number of 0 to":                      func(in *estimate.Inputs) { in.Posts = math.NaN() },
		"--edits -0.5: must be a number of 0 to":                     func(in *estimate.Inputs) { in.Edits = -0.5 },
		"--deletes +Inf: must be a number of 0 to":                   func(in *estimate.Inputs) { in.Deletes = math.Inf(1) },
		"--follows 1e+13: must be a number of 0 to":                  func(in *estimate.Inputs) { in.Follows = 1e13 },
		"--unfollows -Inf: must be a number of 0 to":                 func(in *estimate.Inputs) { in.Unfollows = math.Inf(-1) },
		"--feed-reads -1: must be a number of 0 to":                  func(in *estimate.Inputs) { in.FeedReads = -1 },
		"--kept-posts -1: must be 0 to 10000000":                     func(in *estimate.Inputs) { in.KeptPosts = -1 },
		"--page-size 0: must be 1 to 50, the most that":              func(in *estimate.Inputs) { in.PageSize = 0 },
		"--page-size 51: must be 1 to 50":                            func(in *estimate.Inputs) { in.PageSize = 51 },
		"--page-ids 10001: must be 0 to 10000":                       func(in *estimate.Inputs) { in.PageIDs = 10_001 },
		"--id-bytes 0: must be 1 to 1500":                            func(in *estimate.Inputs) { in.IDBytes = 0 },
		"--copied-bytes 131073: must be 0 to 131072":                 func(in *estimate.Inputs) { in.CopiedBytes = 131_073 },
		"--capacity 0: must be 1 to 10000":                           func(in *estimate.Inputs) { in.Capacity = 0 },
		"--horizon: horizon 1m0s: must be 1h0m0s to 87600h0m0s":      func(in *estimate.Inputs) { in.Horizon = time.Minute },
		"--depth 0: must be 1 to 1000":                               func(in *estimate.Inputs) { in.Depth = 0 },
		`--timeline "weeks": must be items, buckets, days`:           func(in *estimate.Inputs) { in.Layout = "weeks" },
		"--bucket 0: must be 1 to 1000":                              func(in *estimate.Inputs) { in.Bucket = 0 },
		"--cap 70: must be a multiple of --bucket, which is 50":      func(in *estimate.Inputs) { in.Cap = 70 },
		"--cap -50: must be 0 to 1000000":                            func(in *estimate.Inputs) { in.Cap = -50 },
		"--backfill -1: must be 0 to":                                func(in *estimate.Inputs) { in.Backfill = -1 },
		"--following 100001: must be 0 to 100000":                    func(in *estimate.Inputs) { in.Following = 100_001 },
		"--capacity 1: 1000000 followers would need 1000000 index d": func(in *estimate.Inputs) { in.Capacity = 1 },
	} {
		in := estimate.Defaults(1_000_000)
		change(&in)
		_, err := in.Estimate(estimate.ListPrices[estimate.DefaultLocation])
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestPricesThatCannotBeAreRefused(t *testing.T) {
	for want, change := range map[string]map[string]float64{
		`price "raed": must be one of call, delete, egress, enterprise-read, enterprise-write, read, storage, write`: {"raed": 1},
		"price read=-1: must be":       {"read": -1},
		"price egress=NaN: must be":    {"egress": math.NaN()},
		"price storage=1e+07: must be": {"storage": 1e7},
	} {
		p := estimate.ListPrices[estimate.DefaultLocation]
		if err := p.Set(change); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Whatever is asked, the answer is a number.
func TestEstimatesAreFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := estimate.Inputs{
			Followers: rapid.Int64Range(0, 1_000_000_000).Draw(t, "followers"),
			Posts:     rapid.Float64Range(0, 1e12).Draw(t, "posts"), Edits: rapid.Float64Range(0, 1e12).Draw(t, "edits"),
			Follows: rapid.Float64Range(0, 1e12).Draw(t, "follows"), FeedReads: rapid.Float64Range(0, 1e12).Draw(t, "feed reads"),
			KeptPosts: rapid.IntRange(0, 100_000).Draw(t, "kept posts"), PageSize: rapid.IntRange(1, 50).Draw(t, "page size"),
			IDBytes: rapid.IntRange(1, 1500).Draw(t, "id bytes"), Capacity: rapid.IntRange(1, 10_000).Draw(t, "capacity"),
			Horizon: rapid.SampledFrom([]time.Duration{0, time.Hour, 90 * 24 * time.Hour}).Draw(t, "horizon"), Depth: rapid.IntRange(1, 100).Draw(t, "depth"),
			Layout: rapid.SampledFrom(estimate.Layouts).Draw(t, "layout"), Bucket: rapid.IntRange(1, 1000).Draw(t, "bucket"), RelationsOff: rapid.Bool().Draw(t, "relations off"), Settings: rapid.Bool().Draw(t, "settings"), Ranked: rapid.Bool().Draw(t, "ranked"),
			Following: rapid.IntRange(0, 1000).Draw(t, "following"), Backfill: rapid.IntRange(0, 1000).Draw(t, "backfill"),
		}
		in.Cap = in.Bucket * rapid.IntRange(0, 1000).Draw(t, "buckets kept")
		if in.Validate() != nil {
			return // too many index documents
		}
		r, err := in.Estimate(estimate.ListPrices["nam5"])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Months {
			if math.IsNaN(m.Bill.Total) || math.IsInf(m.Bill.Total, 0) || m.Bill.Total < 0 {
				t.Errorf("%s costs %v", m.Design, m.Bill.Total)
			}
		}
	})
}
