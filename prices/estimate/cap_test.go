package estimate_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/relationindex/prices"
	"example.com/relationindex/prices/estimate"
	"example.com/relationindex/schema"
)

// costOf is what an operation of timelines costs in a layout, by what Firestore bills.
func costOf(t *testing.T, r estimate.Report, operation, layout string) prices.Counts {
	t.Helper()
	for _, op := range r.Timelines {
		if op.Name == operation {
			c := op.Costs[layout]
			c.Invocations = 0
			return c
		}
	}
	t.Fatalf("no operation %q", operation)
	return prices.Counts{}
}

// A cap of items bounds what a timeline has. In the mean, each item that comes takes one away, and
// one in 25 costs a read of it and a count. A backfill costs a count and a read for each transaction more.
func TestACapOfItems(t *testing.T) {
	in := estimate.Defaults(1_000)
	in.Layout, in.Following, in.Backfill, in.KeptPosts = schema.LayoutItems, 10, 40, 90
	all := reportOf(t, in)
	in.Cap = 110 // of 900 entries of a reader; 11 of 90 of an author
	capped := reportOf(t, in)
	for operation, want := range map[string]prices.Counts{
		"post":                               {Reads: 1000 + 2*1000/25, Deletes: 1000},
		"post to readers without a timeline": {Reads: 2 * 1000 / 25},
		"another audience, as large":         {Reads: 1000 + 2*1000/25, Deletes: 1000},
		"follow with 40 posts":               {Reads: 40 + 2*40.0/25 + 2*2, Deletes: 40},
		"unfollow":                           {Reads: -2 * 79, Deletes: -79},
		"edit":                               {},
		"delete a post":                      {},
		"page of a feed":                     {},
	} {
		got := costOf(t, capped, operation, in.Layout).Plus(costOf(t, all, operation, in.Layout).Times(-1))
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%s, beyond that without a cap (-want +got):\n%s", operation, diff)
		}
	}
	for operation, want := range map[string]float64{"deletion of a reader's timeline": 900 - 110, "deletion of the account": 79 * 1000} {
		if got := costOf(t, all, operation, in.Layout).Deletes - costOf(t, capped, operation, in.Layout).Deletes; got != want {
			t.Errorf("%s: a cap leaves %v deletes less, want %v", operation, got, want)
		}
	}
	storage := func(r estimate.Report) estimate.Storage {
		return r.Months[slices.Index(estimate.Designs, estimate.ByTimeline)].Usage.Storage
	}
	if got := storage(all).Documents - storage(capped).Documents; got != 79*1000 {
		t.Errorf("a cap leaves %v documents less, want 79 for each follower", got)
	}
}

// A cap of items need not be a multiple of a bucket. Beside it, buckets keep the next one, and days
// all.
func TestACapOfItemsBesideOtherLayouts(t *testing.T) {
	in := estimate.Defaults(1_000)
	in.Layout = schema.LayoutItems
	for limit, same := range map[int]int{110: 150, 150: 150, 0: 0} {
		in.Cap = limit
		got := reportOf(t, in)
		buckets := in
		buckets.Layout, buckets.Cap = schema.LayoutBuckets, same
		want := reportOf(t, buckets)
		for _, op := range want.Timelines {
			for _, layout := range []string{schema.LayoutBuckets, schema.LayoutDays} {
				if diff := cmp.Diff(costOf(t, want, op.Name, layout), costOf(t, got, op.Name, layout)); diff != "" {
					t.Errorf("%s of %s, a cap of %d (-want +got):\n%s", op.Name, layout, limit, diff)
				}
			}
		}
	}
}
